//! Size-limited folder of entries by key, shared by any number of processes: an entry is written to
//! a temporary file and renamed, and an entry with a wrong hash counts as absent.

use std::fs::{self, File, FileTimes};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rayon::prelude::*;

/// Key of an entry: a hash of all inputs that the entry was made from.
pub type StoreKey = blake3::Hash;

/// Length in bytes of the hash at the start of an entry.
const HASH_BYTES: usize = blake3::OUT_LEN;

/// Age from which an entry's time of last use is updated again: entries are read more often than
/// trimmed.
const USE_TIME_STEP: Duration = Duration::from_secs(60 * 60);

/// Age from which the unfinished files of stopped processes are removed.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// Prefix of an unfinished entry's file name.
const UNFINISHED: &str = ".unfinished-";

/// Size-limited folder of entries by key.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
    bytes_max: u64,
}

impl Store {
    /// Opens the store in a folder, created if absent. `trim` leaves at most `bytes_max` bytes of
    /// entries.
    ///
    /// # Errors
    /// If the folder can't be made.
    pub fn open(folder: &Path, bytes_max: u64) -> io::Result<Store> {
        fs::create_dir_all(folder)?;
        Ok(Store { folder: folder.to_path_buf(), bytes_max })
    }

    /// The entry of a key, if present and undamaged.
    pub fn get(&self, key: &StoreKey) -> Option<Vec<u8>> {
        let mut file = File::open(self.entry_path(key)).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        let (hash, entry) = bytes.split_at_checked(HASH_BYTES)?;
        if entry_hash(key, entry).as_bytes() != hash {
            return None;
        }
        note_use(&file);
        bytes.drain(..HASH_BYTES);
        Some(bytes)
    }

    /// Writes an entry, replacing an earlier one of the key.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn put(&self, key: &StoreKey, entry: &[u8]) -> io::Result<()> {
        let place = self.entry_path(key);
        let folder = place.parent().unwrap_or(&self.folder);
        let begin = || tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder);
        let mut file = begin().or_else(|_| {
            fs::create_dir_all(folder)?;
            begin()
        })?;
        file.write_all(entry_hash(key, entry).as_bytes())?;
        file.write_all(entry)?;
        file.persist(place).map_err(|error| error.error)?;
        Ok(())
    }

    /// Removes the least recently used entries until the rest fits the limit, and the unfinished
    /// files of stopped processes.
    pub fn trim(&self) {
        let mut entries = self.entries();
        let mut bytes: u64 = entries.iter().map(|entry| entry.bytes).sum();
        if bytes <= self.bytes_max {
            return;
        }
        entries.sort_unstable_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
        for entry in entries {
            if bytes <= self.bytes_max {
                break;
            }
            // Another process may have removed it: it is gone either way.
            let _ = fs::remove_file(&entry.path);
            bytes -= entry.bytes;
        }
    }

    /// Path of an entry, in a folder for each first byte of a key: some file systems are slow with
    /// large folders.
    fn entry_path(&self, key: &StoreKey) -> PathBuf {
        let name = key.to_hex();
        let (folder, rest) = name.split_at(2);
        self.folder.join(folder).join(rest)
    }

    fn entries(&self) -> Vec<StoreEntry> {
        let folders = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let folders: Vec<PathBuf> =
            folders.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        folders.into_par_iter().flat_map_iter(|folder| entries_in(&folder)).collect()
    }
}

/// Hash of an entry together with its key, so that no entry is taken for another.
fn entry_hash(key: &StoreKey, entry: &[u8]) -> blake3::Hash {
    blake3::keyed_hash(key.as_bytes(), entry)
}

/// Sets an entry's modification time, which is its time of last use.
fn note_use(file: &File) {
    let now = SystemTime::now();
    let used = file.metadata().and_then(|metadata| metadata.modified());
    let is_recent =
        used.is_ok_and(|used| now.duration_since(used).is_ok_and(|age| age < USE_TIME_STEP));
    if !is_recent {
        // Someone else's file can't be changed: then it is removed earlier, which costs time.
        let _ = file.set_times(FileTimes::new().set_modified(now));
    }
}

struct StoreEntry {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

fn entries_in(folder: &Path) -> Vec<StoreEntry> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let entry = |file: fs::DirEntry| {
        let metadata = file.metadata().ok().filter(fs::Metadata::is_file)?;
        let (path, used) = (file.path(), metadata.modified().ok()?);
        let is_unfinished = file.file_name().to_string_lossy().starts_with(UNFINISHED);
        if is_unfinished && used.elapsed().is_ok_and(|age| age > ABANDONED) {
            let _ = fs::remove_file(&path);
            return None;
        }
        (!is_unfinished).then_some(StoreEntry { path, bytes: metadata.len(), used })
    };
    files.filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> StoreKey {
        blake3::hash(name.as_bytes())
    }

    #[test]
    fn entries_come_back_and_damaged_ones_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("a/b"), 1000).unwrap();
        let entry = store.entry_path(&key("one"));
        assert_eq!(store.get(&key("one")), None);
        store.put(&key("one"), b"first").unwrap();
        store.put(&key("one"), b"second").unwrap();
        assert_eq!(store.get(&key("one")).unwrap(), b"second");
        let whole = fs::read(&entry).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&entry, &damaged).unwrap();
            assert_eq!(store.get(&key("one")), None, "byte {at}");
            fs::write(&entry, &whole[..at]).unwrap();
            assert_eq!(store.get(&key("one")), None, "first {at} bytes");
        }
        fs::create_dir_all(store.entry_path(&key("two")).parent().unwrap()).unwrap();
        fs::write(store.entry_path(&key("two")), &whole).unwrap();
        assert_eq!(store.get(&key("two")), None, "another key's entry");
        store.put(&key("one"), b"third").unwrap();
        assert_eq!(store.get(&key("one")).unwrap(), b"third");
    }

    #[test]
    fn the_least_recently_used_entries_go_first() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), 3 * (HASH_BYTES as u64 + 100)).unwrap();
        let old = SystemTime::now() - Duration::from_secs(100_000);
        for (index, name) in ["a", "b", "c", "d", "e"].into_iter().enumerate() {
            store.put(&key(name), &[0; 100]).unwrap();
            let file = File::options().write(true).open(store.entry_path(&key(name))).unwrap();
            let time = old + Duration::from_secs(index as u64);
            file.set_times(FileTimes::new().set_modified(time)).unwrap();
        }
        let left = store.folder.join(format!("00/{UNFINISHED}x"));
        fs::create_dir_all(left.parent().unwrap()).unwrap();
        fs::write(&left, "half").unwrap();
        File::options().write(true).open(&left).unwrap().set_modified(old).unwrap();
        assert!(store.get(&key("a")).is_some(), "used now");
        store.trim();
        let kept = ["a", "b", "c", "d", "e"].map(|name| store.get(&key(name)).is_some());
        assert_eq!(kept, [true, false, false, true, true]);
        assert!(!left.exists());
    }
}
