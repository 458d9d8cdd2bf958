//! Runs a test of the same binary in another process, in a role of its own.

use std::{
    env,
    io::{BufRead, BufReader, Lines, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
};

const ROLE: &str = "VOX_TEST_ROLE";
const ARCHIVE: &str = "VOX_TEST_ARCHIVE";
const MARK: &str = "vox-test:";

/// The role and the archive of this process, if it is a child.
pub fn role() -> Option<(String, PathBuf)> {
    Some((env::var_os(ROLE)?.into_string().ok()?, env::var_os(ARCHIVE)?.into()))
}

/// Tells the parent a line. Not through `println!`, which the test harness may hold back.
pub fn say(line: impl std::fmt::Display) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("\n{MARK}{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

/// The command that runs test `child` of this binary as `role`.
pub fn command(role: &str, archive: &Path) -> Command {
    // SIGXFSZ would end a process that passes its limit on file sizes.
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(env::current_exe().unwrap());
    command.args(["--exact", "child", "--test-threads=1"]);
    command.env(ROLE, role).env(ARCHIVE, archive).stdout(Stdio::piped());
    command
}

/// A child that runs.
pub struct Running {
    pub process: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

/// Starts `command`.
pub fn start(mut command: Command) -> Running {
    let mut process = command.spawn().unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines();
    Running { process, lines }
}

impl Running {
    /// The next line the child tells; none when it has ended.
    pub fn hear(&mut self) -> Option<String> {
        self.lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| Some(line.strip_prefix(MARK)?.into()))
    }

    /// Ends the child at once, as a crash would, and gives what it had told by then.
    #[allow(dead_code, reason = "only some tests crash their children")]
    pub fn kill(mut self) -> Vec<String> {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        std::iter::from_fn(|| self.hear()).collect()
    }

    /// Waits until the child has ended, and gives what it told; panics if it failed.
    pub fn finish(mut self) -> Vec<String> {
        let said = std::iter::from_fn(|| self.hear()).collect();
        let status = self.process.wait().unwrap();
        assert!(status.success(), "the child ended with {status} after {said:?}");
        said
    }
}
