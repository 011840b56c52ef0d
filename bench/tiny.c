/*
 * The smallest application worth measuring. Built by bench/run.ts.
 *
 *   tiny run               prints one line
 *   tiny wait --seconds=N  prints one line after that time
 *   tiny flood --mib=N     writes that many MiB of zeros in writes of 1 MiB
 *   tiny drain             reads stdin to its end and forgets it (no tool: the other end of a raw pipe)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMAND(name, help, properties, flags)                                                    \
  "{\"name\":\"" name "\",\"help\":\"" help "\",\"schema\":{\"type\":\"object\","                    \
  "\"additionalProperties\":false,\"properties\":{" properties "}},"                               \
  "\"restricted_schema\":{\"type\":\"object\",\"additionalProperties\":false,"                     \
  "\"properties\":{" properties "}},\"flags\":[" flags "]}"

#define NUMBER(name) "\"" name "\":{\"type\":\"integer\",\"description\":\"How many\"}"
#define FLAG(name) "{\"name\":\"" name "\",\"help\":\"How many\",\"boolean\":false,\"cumulative\":false}"

static const char document[] =
    "{\"name\":\"tiny\",\"help\":\"Almost nothing\",\"version\":\"1.0.0\",\"commands\":["
    COMMAND("run", "Prints one line", "", "") ","
    COMMAND("wait", "Prints one line later", NUMBER("seconds"), FLAG("seconds")) ","
    COMMAND("flood", "Writes a lot", NUMBER("mib"), FLAG("mib")) "]}\n";

static int number(int argc, char **argv, const char *flag, int otherwise) {
  for (int i = 2; i < argc; i++)
    if (strncmp(argv[i], flag, strlen(flag)) == 0) return atoi(argv[i] + strlen(flag));
  return otherwise;
}

static int put(const char *text, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t written = write(1, text + done, size - done);
    if (written <= 0) return 1;
    done += written;
  }
  return 0;
}

int main(int argc, char **argv) {
  const char *command = argc > 1 ? argv[1] : "";
  static char block[1 << 20];
  if (strcmp(command, "--fisk-introspect") == 0) return put(document, sizeof document - 1);
  if (strcmp(command, "wait") == 0) sleep(number(argc, argv, "--seconds=", 1));
  if (strcmp(command, "drain") == 0) {
    while (read(0, block, sizeof block) > 0) continue;
    return 0;
  }
  if (strcmp(command, "flood") == 0) {
    for (int left = number(argc, argv, "--mib=", 1024); left > 0; left--)
      if (put(block, sizeof block)) return 1;
    return 0;
  }
  return put("ok\n", 3);
}
