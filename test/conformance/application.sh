#!/bin/sh
# The application that the conformance suite meets: of the tools that its scenarios call for, those that a command can be.
# Its document stands beside it.
case "$1" in
--fisk-introspect) exec cat "$(dirname "$0")/application.json" ;;
test_simple_text) echo 'This is a simple text response for testing.' ;;
test_tool_with_progress) sleep 31; echo 'Told of its progress.' ;;
*) echo "$@" ;;
esac
