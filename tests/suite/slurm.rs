//! A search in a job array of a real Slurm: one node of two CPUs on the loopback, with daemons of its own.
//!
//! Needs root and Debian's `slurm-wlm` and `munge`; where one is missing, the test says so and is skipped. It is in the full
//! tier, because daemons take seconds to start. Ports are free ones, keys, sockets and logs are in a directory of the
//! test, and every daemon ends with it.

use crate::sizes;
use crate::tools::skipped;
use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// How often something is looked for that another process does, 20 times a second, before the test gives up.
const PATIENCE: u32 = 20 * 300;

/// What the test needs of the system.
const PROGRAMS: [&str; 8] = [
    "munged",
    "slurmctld",
    "slurmd",
    "sbatch",
    "scontrol",
    "squeue",
    "scancel",
    "hostname",
];

fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let system = ["/usr/sbin", "/sbin"].map(PathBuf::from);
    let mut places = std::env::split_paths(&path).chain(system);
    places.find_map(|place| Some(place.join(program)).filter(|file| file.is_file()))
}

fn said(output: &Output) -> String {
    let [out, error] = [&output.stdout, &output.stderr].map(|b| String::from_utf8_lossy(b));
    format!("{out}{error}")
}

/// Why there is no Slurm to test against.
fn lacking() -> Option<String> {
    if let Some(program) = PROGRAMS.iter().find(|program| find(program).is_none()) {
        return Some(format!("`{program}` is not installed"));
    }
    let id = Command::new("id").arg("-u").output();
    let is_root = id.is_ok_and(|id| id.stdout.trim_ascii() == b"0");
    (!is_root).then(|| "its daemons are started as root".to_owned())
}

fn is_within(looks: u32, mut is: impl FnMut() -> bool) -> bool {
    (0..looks).any(|_| {
        let is_so = is();
        if !is_so {
            thread::sleep(Duration::from_millis(50));
        }
        is_so
    })
}

fn wait_until(what: &str, is: impl FnMut() -> bool) {
    assert!(is_within(PATIENCE, is), "{what}: not in five minutes");
}

/// A cluster of this machine alone.
struct Cluster {
    directory: TempDir,
    daemons: Vec<Child>,
}

impl Cluster {
    /// A cluster whose node is idle; none if it does not come up.
    fn start() -> Option<Self> {
        let mut cluster = Self {
            directory: tempfile::tempdir().expect("a directory"),
            daemons: Vec::new(),
        };
        for inner in ["state", "spool", "run", "log"] {
            fs::create_dir(cluster.path(inner)).expect("a directory");
        }
        let key: Vec<u8> = (0..32)
            .flat_map(|_| rand::random::<u64>().to_le_bytes())
            .collect();
        fs::write(cluster.path("munge.key"), key).expect("a file");
        let only_mine = Permissions::from_mode(0o400);
        fs::set_permissions(cluster.path("munge.key"), only_mine).expect("it is ours");
        fs::write(cluster.path("slurm.conf"), cluster.configuration()).expect("a file");
        let at = |name: &str, inner: &str| format!("--{name}={}", cluster.path(inner).display());
        let munge = [
            "--foreground".to_owned(),
            "--force".to_owned(),
            "--num-threads=1".to_owned(),
            at("socket", "run/munge.sock"),
            at("key-file", "munge.key"),
            at("pid-file", "run/munged.pid"),
            at("log-file", "log/munged.log"),
            at("seed-file", "run/munged.seed"),
        ];
        cluster.daemon("munged", &munge);
        let socket = cluster.path("run/munge.sock");
        if !is_within(PATIENCE, || socket.exists()) {
            return None;
        }
        cluster.daemon("slurmctld", &["-D".to_owned(), "-i".to_owned()]);
        cluster.daemon("slurmd", &["-D".to_owned()]);
        let is_idle = || {
            let output = cluster.slurm("sinfo").args(["-h", "-o", "%T"]).output();
            output.is_ok_and(|o| o.stdout.trim_ascii() == b"idle")
        };
        // What keeps daemons of this machine from starting is no mistake of a search.
        is_within(PATIENCE, is_idle).then_some(cluster)
    }

    fn path(&self, inner: &str) -> PathBuf {
        self.directory.path().join(inner)
    }

    /// One node of two CPUs, whatever the machine has. Everything listens on the loopback.
    fn configuration(&self) -> String {
        let host = Command::new("hostname")
            .arg("-s")
            .output()
            .expect("it starts");
        let host = String::from_utf8(host.stdout).expect("a name");
        let host = host.trim();
        let directory = self.directory.path().display();
        let free = [0; 2].map(|any| TcpListener::bind(("127.0.0.1", any)).expect("a free port"));
        let [controller, node] = free.map(|port| port.local_addr().expect("bound").port());
        format!(
            "ClusterName=syncscope
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/munge
AuthInfo=socket={directory}/run/munge.sock,cred_expire=5
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool
SlurmctldPidFile={directory}/run/slurmctld.pid
SlurmdPidFile={directory}/run/slurmd.pid
SlurmctldLogFile={directory}/log/slurmctld.log
SlurmdLogFile={directory}/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=1,sched_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=1
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"
        )
    }

    fn daemon(&mut self, program: &str, arguments: &[String]) {
        let child = self
            .slurm(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.daemons.push(child.expect("it starts"));
    }

    /// A program of Slurm that talks to this cluster and no other.
    fn slurm(&self, program: &str) -> Command {
        let mut command = Command::new(find(program).unwrap_or_else(|| program.into()));
        command
            .env("SLURM_CONF", self.path("slurm.conf"))
            .current_dir(self.directory.path());
        command
    }

    fn ask(&self, program: &str, arguments: &[&str]) -> String {
        let output = self
            .slurm(program)
            .args(arguments)
            .output()
            .expect("it starts");
        assert!(
            output.status.success(),
            "{program} {arguments:?}: {}",
            said(&output)
        );
        said(&output)
    }

    fn is_empty(&self) -> bool {
        self.ask("squeue", &["-h"]).is_empty()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Jobs end first, so that nothing of them outlives the daemon that started it.
        let _ = self.slurm("scancel").args(["--user=root"]).output();
        for _ in 0..100 {
            let left = self.slurm("squeue").arg("-h").output();
            if left.is_ok_and(|left| left.stdout.is_empty()) {
                break;
            }
            thread::sleep(Duration::from_millis(50));
        }
        for daemon in self.daemons.iter_mut().rev() {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

/// How many blocks of its search a share has done.
fn blocks(file: &Path) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let value: serde_json::Value = serde_json::from_str(&text).ok()?;
    value["blocks"].as_u64()
}

fn syncscope(arguments: &[&str]) -> String {
    let output = crate::cli::command(arguments).output().expect("it starts");
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).expect("text")
}

/// A search of 6 uses and a gap of 1 + 2 × 36: 438 + 438² programs, in twelve blocks.
const SEARCH: [&str; 4] = [
    "--exhaustive",
    "2",
    "--accesses",
    "UNORDERED_ACCESS,SHADER_RESOURCE,COPY_DEST,CONSTANT_BUFFER,INDIRECT_ARGUMENT,COPY_SOURCE",
];

/// The job script of the book, as an array of three tasks on two CPUs, with a search that takes seconds.
fn submit(cluster: &Cluster, results: &Path) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/jobs/verify.slurm");
    let script = fs::read_to_string(script).expect("the script of the book");
    let shorter = script.replace("--exhaustive 3", &SEARCH.join(" "));
    assert_ne!(
        script, shorter,
        "the book's search is one of three commands"
    );
    let job = cluster.path("job.sh");
    fs::write(&job, shorter).expect("a file");
    let program = Path::new(env!("CARGO_BIN_EXE_syncscope"));
    let mut path = program
        .parent()
        .expect("a directory")
        .as_os_str()
        .to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let output = cluster
        .slurm("sbatch")
        .env("PATH", path)
        .arg("--parsable")
        .args(["--array=0-2", "--cpus-per-task=1"])
        .arg(format!("--chdir={}", results.display()))
        .arg(format!("--output={}/task-%a.out", results.display()))
        .arg(&job)
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{}", said(&output));
    said(&output).trim().to_owned()
}

/// Kills a task after its first block and requeues it. How many blocks it had done.
fn requeue(cluster: &Cluster, job: &str, file: &Path) -> u64 {
    wait_until("a block is done", || blocks(file) >= Some(1));
    let task = format!("{job}_1");
    cluster.ask("scontrol", &["requeue", &task]);
    wait_until("the task is to start again", || {
        let told = cluster.ask("scontrol", &["show", "job", &task]);
        told.contains("Restarts=1")
    });
    blocks(file).expect("a whole file, whenever its writer is killed")
}

#[test]
fn a_task_of_an_array_that_is_killed_and_requeued_loses_nothing() {
    if !sizes::is_full() {
        return;
    }
    if let Some(why) = lacking() {
        return skipped(&format!("no Slurm to test against: {why}"));
    }
    let Some(cluster) = Cluster::start() else {
        eprintln!("skipped: the daemons of Slurm do not come up on this machine");
        return;
    };
    // A task may be quicker than whoever kills it.
    let mut half_way = false;
    for attempt in 0..5 {
        let directory = cluster.path(&format!("try-{attempt}"));
        fs::create_dir(&directory).expect("a directory");
        let results = directory.join("results");
        let job = submit(&cluster, &directory);
        let file = results.join("1.json");
        let before = requeue(&cluster, &job, &file);
        wait_until("all tasks have ended", || cluster.is_empty());
        half_way = Some(before) < blocks(&file);
        let results = results.display().to_string();
        let merged = syncscope(&["verify", "--merge", &results, "--format", "json"]);
        let whole = ["verify", "--lowering", "precise"];
        let whole = [&whole[..], &SEARCH, &["--format", "json"]].concat();
        // Nothing lost, nothing counted twice: the shares are the search, number for number.
        assert_eq!(merged, syncscope(&whole));
        let out = fs::read_to_string(directory.join("task-1.out")).expect("what the task said");
        let words: Vec<&str> = out.split_whitespace().collect();
        let said = words.join(" ");
        assert!(
            said.contains("share 1 of 3; the share is complete"),
            "{out}"
        );
        if half_way {
            break;
        }
    }
    assert!(half_way, "no task was killed before it had ended");
}
