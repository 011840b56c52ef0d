"""A supervisor's notification socket: prints each datagram as one JSON line, with the process that sent it.

Takes the address as its argument; one that begins with @ is outside the file system.
"""

import json
import socket
import struct
import sys
import time

address = sys.argv[1]
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
listener.bind("\0" + address[1:] if address.startswith("@") else address)
print(json.dumps({"listening": address}), flush=True)
while True:
    text, ancillary, _, _ = listener.recvmsg(4096, socket.CMSG_SPACE(struct.calcsize("3i")))
    pid = struct.unpack("3i", ancillary[0][2][:12])[0] if ancillary else 0
    print(json.dumps({"at": time.time() * 1000, "pid": pid, "lines": text.decode().split("\n")}), flush=True)
