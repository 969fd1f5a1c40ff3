"""Runs inside a guest of the range: opens login sessions on request, and passes on the kernel's audit records."""
import base64
import json
import os
import pwd
import select
import signal
import socket
import struct
import threading
import time

control = os.open("/dev/virtio-ports/range", os.O_RDWR)
lock = threading.Lock()


def send(message):
    data = (json.dumps(message) + "\n").encode()
    with lock:
        while data:
            data = data[os.write(control, data):]


def records():
    """The multicast group of the audit netlink, which Auditbeat reads as well when auditd has the unicast."""
    channel = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 9)
    channel.setsockopt(socket.SOL_SOCKET, 33, 64 * 1024 * 1024)
    channel.bind((0, 1))
    while True:
        batch = []
        until = time.monotonic() + 0.2
        while time.monotonic() < until and len(batch) < 500:
            if not select.select([channel], [], [], 0.05)[0]:
                continue
            try:
                data = channel.recv(65536)
            except OSError:
                batch.append([0, "lost"])
                continue
            kind = struct.unpack_from("=IHHII", data)[1]
            batch.append([kind, data[16:].rstrip(b"\0\n").decode("utf-8", "replace")])
        if batch:
            send({"audit": batch})


def session(request):
    """A login shell of an account with the script as its input, so that only the script's own commands leave traces."""
    account = pwd.getpwnam(request["user"])
    read, write = os.pipe()
    script, feed = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            if request.get("session", True):
                with open("/proc/self/loginuid", "w") as file:
                    file.write(str(account.pw_uid))
            os.initgroups(account.pw_name, account.pw_gid)
            os.setgid(account.pw_gid)
            os.setuid(account.pw_uid)
            os.chdir(account.pw_dir)
            os.dup2(script, 0)
            os.dup2(write, 1)
            os.dup2(write, 2)
            os.closerange(3, 256)
            path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
            environment = {
                "HOME": account.pw_dir, "USER": account.pw_name, "LOGNAME": account.pw_name,
                "SHELL": "/bin/bash", "PATH": path, "LANG": "C.UTF-8", **request.get("env", {}),
            }
            os.execve("/bin/bash", ["-bash"], environment)
        finally:
            os._exit(127)
    os.close(write)
    os.close(script)

    def write_script():
        try:
            with os.fdopen(feed, "wb") as file:
                file.write(base64.b64decode(request["script"]))
        except BrokenPipeError:
            pass

    threading.Thread(target=write_script, daemon=True).start()
    output = b""
    end = time.monotonic() + request.get("seconds", 60)
    status = None
    while time.monotonic() < end:
        if select.select([read], [], [], 0.05)[0]:
            data = os.read(read, 65536)
            if data:
                output = (output + data)[-200_000:]
                continue
            # Somebody in the background may keep the pipe open; its end is no end of the shell.
            time.sleep(0.02)
        pid, code = os.waitpid(child, os.WNOHANG)
        if pid:
            status = os.waitstatus_to_exitcode(code)
            break
    if status is None:
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
    while select.select([read], [], [], 0)[0]:
        data = os.read(read, 65536)
        if not data:
            break
        output += data
    os.close(read)
    send({"id": request["id"], "status": status, "output": output.decode("utf-8", "replace")})


def answer(request):
    try:
        session(request)
    except Exception as error:  # noqa: BLE001 – the host must hear of any failure
        send({"id": request["id"], "status": None, "output": str(error)})


threading.Thread(target=records, daemon=True).start()
send({"ready": True})
held = b""
while True:
    data = os.read(control, 65536)
    if not data:
        time.sleep(0.1)
        continue
    held += data
    *lines, held = held.split(b"\n")
    for line in lines:
        threading.Thread(target=answer, args=(json.loads(line),), daemon=True).start()
