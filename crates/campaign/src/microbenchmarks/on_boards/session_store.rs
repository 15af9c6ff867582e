//! A session of microbenchmarks on disk: stored when it ends, and reused when the command is run
//! again. `microbenchmark-runs/N/` (`before-after-runs/N/` for before/after microbenchmarks)
//! contains its raw logs and `session.txt`, which describes what was run on which board; a session
//! without that file has not ended well, or its logs give no energies.

use crate::failure::Failure;
use crate::folder::Output;
use crate::input_file;

const SAMPLES: &str = "samples.txt.zst";
const LOGCAT: &str = "logcat.txt.zst";
const DESCRIPTION: &str = "session.txt";

/// The logs from which a session's energies are read.
pub(super) struct MicrobenchmarkLogs {
    /// `samples.txt` as the sampler wrote it.
    pub samples: String,
    /// The log in the format `threadtime`.
    pub logcat: String,
}

/// The folder in which sessions of microbenchmarks are stored.
#[derive(Debug, Clone, Copy)]
pub struct SessionStore<'o> {
    /// The campaign's folder.
    pub output: &'o Output,
    /// Name of the sessions' folder in the campaign's folder.
    pub runs: &'static str,
}

/// One session in a store, which may have logs already.
pub(super) struct StoredSession<'o> {
    pub place: SessionStore<'o>,
    /// Number of the session, from 1.
    pub repeat: u32,
    /// Everything that the session's energies depend on, in lines.
    pub description: String,
}

impl StoredSession<'_> {
    /// Reads the logs of exactly this session if they are stored; else removes other logs that may
    /// be replaced.
    ///
    /// # Errors
    /// Logs of another session that may not be replaced, or that can't be read.
    pub fn logs(&self) -> Result<Option<MicrobenchmarkLogs>, Failure> {
        let there = input_file::read_text(&self.path(DESCRIPTION)).ok();
        if there.is_some_and(|there| there == self.description) {
            let (samples, logcat) = (self.read(SAMPLES)?, self.read(LOGCAT)?);
            return Ok(Some(MicrobenchmarkLogs { samples, logcat }));
        }
        let SessionStore { output, runs } = self.place;
        output.check_free(&[&self.name(DESCRIPTION)])?;
        output.discard(&[&format!("{runs}/{}", self.repeat)])?;
        Ok(None)
    }

    /// Writes the raw logs, however the session ended.
    pub fn keep(&self, logs: &MicrobenchmarkLogs) -> Result<(), Failure> {
        for (name, text) in [(SAMPLES, &logs.samples), (LOGCAT, &logs.logcat)] {
            let packed = zstd::encode_all(text.as_bytes(), 3)
                .map_err(Failure::io("pack", self.path(name)))?;
            self.place.output.write(&self.name(name), packed)?;
        }
        Ok(())
    }

    /// Marks the stored session as good.
    pub fn finish(&self) -> Result<(), Failure> {
        self.place.output.write(&self.name(DESCRIPTION), &self.description).map(drop)
    }

    fn read(&self, name: &str) -> Result<String, Failure> {
        let path = self.path(name);
        let bytes = input_file::unpack(&path);
        let bytes = bytes.map_err(Failure::io("read", &path))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.place.output.path(&self.name(name))
    }

    fn name(&self, name: &str) -> String {
        format!("{}/{}/{name}", self.place.runs, self.repeat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::OnExisting;
    use crate::folder::names::MICROBENCHMARK_RUNS;
    use crate::progress::Silent;

    fn logs() -> MicrobenchmarkLogs {
        MicrobenchmarkLogs { samples: "samples".into(), logcat: "log".into() }
    }

    #[test]
    fn only_finished_sessions_of_the_same_kind_are_taken_up() {
        let folder = tempfile::tempdir().unwrap();
        let careful = Output::open(folder.path(), OnExisting::Refuse, &Silent).unwrap();
        let bold = careful.replacing();
        let session = |output, description: &str| StoredSession {
            place: SessionStore { output, runs: MICROBENCHMARK_RUNS },
            repeat: 1,
            description: description.into(),
        };
        let same = session(&careful, "a");
        assert!(same.logs().unwrap().is_none());
        same.keep(&logs()).unwrap();
        assert!(same.logs().unwrap().is_none(), "it was not finished");
        same.keep(&logs()).unwrap();
        same.finish().unwrap();
        let found = same.logs().unwrap().unwrap();
        assert_eq!((found.samples.as_str(), found.logcat.as_str()), ("samples", "log"));
        let refused = session(&careful, "b").logs().err().unwrap().to_string();
        assert!(refused.contains("session.txt") && refused.contains("--force"), "{refused}");
        assert!(same.logs().unwrap().is_some(), "what is refused is not lost");
        assert!(session(&bold, "b").logs().unwrap().is_none());
        assert!(same.logs().unwrap().is_none(), "it was replaced");
    }
}
