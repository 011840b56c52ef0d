#!/bin/sh
# Stands in for a fisk application: shows the document in REPLAY_DOCUMENT when introspected, after the text in
# REPLAY_STDERR and REPLAY_STDOUT on those streams. Any other call prints its arguments, numbered, a line each.
if [ "$1" = "--fisk-introspect" ]; then
  [ -n "$REPLAY_STDERR" ] && printf '%s\n' "$REPLAY_STDERR" >&2
  [ -n "$REPLAY_STDOUT" ] && printf '%s\n' "$REPLAY_STDOUT"
  exec cat "$REPLAY_DOCUMENT"
fi
n=0
for word in "$@"; do
  printf '[%d]%s\n' "$n" "$word"
  n=$((n + 1))
done
