# SPDX-License-Identifier: Apache-2.0
"""A Slurm cluster of virtual nodes on this machine, for as long as a test lasts: with a munge of its own, ports that are
free, and everything it writes in one directory, so that neither a Slurm of the machine nor another test is in its way."""

import contextlib
import ctypes
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo", "scontrol")
PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
MISSING = [program for program in PROGRAMS if shutil.which(program, path=PATH) is None]
START_SECONDS = 60  # of a daemon on a busy machine

# A node that is silent for some seconds is down, and its tasks may start again elsewhere 5 seconds later: when their
# credentials have expired. (Slurm's own are five minutes and two.)
CONFIGURATION = """\
ClusterName=crivo
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={directory}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool-%n
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd-%n.pid
SlurmctldLogFile={directory}/slurmctld.log
SlurmdLogFile={directory}/slurmd-%n.log
SlurmdTimeout=3
MessageTimeout=4
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
NodeName={names} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports} CPUs=1 RealMemory=4000 State=UNKNOWN
PartitionName=batch Nodes={names} Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    """The first of so many ports in a row that nobody listens at: others than a test that begins at the same time finds."""
    for first in range(21000 + os.getpid() * count % 9000, 32000, count):
        with contextlib.ExitStack() as sockets:
            try:
                for port in range(first, first + count):
                    listening = sockets.enter_context(socket.socket())
                    listening.bind(("127.0.0.1", port))
            except OSError:
                continue
            return first
    raise RuntimeError("no free ports")


def parents():
    """The parent of every process, by number."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                found[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    return found


def descendants(*roots):
    found = list(roots)
    tree = parents()
    for process in found:  # which grows
        found += [child for child, parent in tree.items() if parent == process]
    return found[len(roots) :]


PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def be_its_parent():
    """In a daemon before it begins: it is to end with this process, and steps that leave it are to stay its children."""
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def kill(processes):
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


class Cluster:
    """`with Cluster(directory, nodes)`: nodes n1 to nN of one core each; `environment` is that of its users."""

    def __init__(self, directory, nodes):
        self.directory = pathlib.Path(directory)
        self.nodes = [f"n{i + 1}" for i in range(nodes)]
        path = self.directory / "slurm.conf"
        self.environment = dict(os.environ, PATH=PATH, SLURM_CONF=str(path))
        first = free_ports(nodes + 1)
        for name in ("state", "log", *(f"spool-{node}" for node in self.nodes)):
            (self.directory / name).mkdir()
        path.write_text(
            CONFIGURATION.format(
                directory=self.directory,
                host=socket.gethostname().partition(".")[0],
                user=pwd.getpwuid(os.getuid()).pw_name,
                names=f"n[1-{nodes}]",
                controller=first,
                ports=f"[{first + 1}-{first + nodes}]" if nodes > 1 else first + 1,
            )
        )
        self.daemons = {}

    def __enter__(self):
        try:
            self.start_munge()
            self.start("slurmctld", "slurmctld", "-D")
            for node in self.nodes:
                self.start(node, "slurmd", "-D", "-N", node)
            self.wait_for("nodes that are idle", lambda: self.states() == {node: "idle" for node in self.nodes})
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self, name, *command):
        with open(self.directory / "log" / name, "wb") as log:
            self.daemons[name] = subprocess.Popen(
                command,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=be_its_parent,
            )

    def start_munge(self):
        key = self.directory / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        at = {name: f"--{name}-file={self.directory}/munge.{name}" for name in ("key", "log", "pid", "seed")}
        socket_path = self.directory / "munge.socket"
        # It does not trust a directory that others could write above; here nobody else is served.
        self.start("munged", "munged", "--foreground", "--force", f"--socket={socket_path}", *at.values())
        self.wait_for("munge", socket_path.exists)

    def ask(self, *command):
        done = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return done.stdout if done.returncode == 0 else ""

    def states(self):
        """What each node does, as sinfo says."""
        return dict(line.split() for line in self.ask("sinfo", "-h", "-N", "-o", "%N %t").splitlines())

    def wait_for(self, what, is_so, seconds=START_SECONDS):
        end = time.monotonic() + seconds
        while not is_so():
            ended = [name for name, daemon in self.daemons.items() if daemon.poll() is not None]
            if ended or time.monotonic() > end:
                logs = {path.name: path.read_text()[-1000:] for path in self.directory.glob("log/*")}
                raise RuntimeError(f"no {what}; ended: {ended}; {self.states()}; {logs}")
            time.sleep(0.1)

    def lose(self, node):
        """Ends the node's daemon and all that runs on it at once, as if the machine lost its power."""
        daemon = self.daemons.pop(node)
        kill([daemon.pid, *descendants(daemon.pid)])  # each before what it started, so that none tells of another's end
        daemon.wait()

    def stop(self):
        for daemon in self.daemons.values():
            kill([daemon.pid, *descendants(daemon.pid)])
            daemon.wait()
        self.daemons.clear()
