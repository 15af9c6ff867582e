//! The board's files as the host reads and writes them: by the board's paths, whose links are
//! followed as on the board, where `/` is its root. Processes of the board may change a folder into
//! a link at any moment, so the kernel resolves each path, and never leaves the root.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, ResolveFlags, Uid, chownat, mkdirat, openat,
    openat2, statat, unlinkat,
};
use rustix::io::Errno;

use super::user::BoardUser;

/// Opened root of the board.
#[derive(Debug)]
pub(super) struct BoardFolder {
    path: PathBuf,
    opened: OwnedFd,
    user: BoardUser,
}

/// Modes of files and folders that the host makes.
const FILE_MODE: Mode = Mode::from_raw_mode(0o644);
const FOLDER_MODE: Mode = Mode::from_raw_mode(0o755);

impl BoardFolder {
    /// Opens a root; fails where the kernel cannot resolve paths inside it.
    pub(super) fn open_root(path: &Path, user: BoardUser) -> io::Result<Self> {
        let opened = openat(CWD, path, FOLDER | OFlags::CLOEXEC, Mode::empty())?;
        let folder = Self { path: path.to_owned(), opened, user };
        let needs = "Linux 5.6 or later is needed (openat2)";
        folder
            .resolve("/", FOLDER)
            .map_err(|_| io::Error::new(io::ErrorKind::Unsupported, needs))?;
        Ok(folder)
    }

    /// Path of the root on the host.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// User that the board's processes run as.
    pub(super) fn user(&self) -> BoardUser {
        self.user
    }

    /// Path below the board's root: without the root's own path, which a shell that is not confined
    /// puts before it.
    fn below_root<'a>(&self, path: &'a str) -> &'a str {
        path.strip_prefix(&*self.path.to_string_lossy()).unwrap_or(path)
    }

    /// Opens a path inside the root.
    fn resolve(&self, path: impl AsRef<Path>, flags: OFlags) -> io::Result<OwnedFd> {
        let path = path.as_ref();
        let path = if path.as_os_str().is_empty() { Path::new("/") } else { path };
        let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
        let open = || openat2(&self.opened, path, flags | OFlags::CLOEXEC, Mode::empty(), resolve);
        // The kernel asks to try again where the board moved folders meanwhile.
        loop {
            match open() {
                Err(Errno::AGAIN | Errno::INTR) => {}
                other => return Ok(other?),
            }
        }
    }

    /// Opens a file for reading. One that could keep a reader waiting is refused.
    pub(super) fn open(&self, path: &str) -> io::Result<File> {
        let file: File =
            self.resolve(self.below_root(path), OFlags::RDONLY | OFlags::NONBLOCK)?.into();
        let kind = file.metadata()?.file_type();
        match (kind.is_dir(), kind.is_file()) {
            (true, _) => Err(io::Error::other("Is a directory")),
            (_, true) => Ok(file),
            _ => Err(io::Error::other("Not a regular file")),
        }
    }

    /// Metadata of a file, a folder or a link.
    pub(super) fn metadata(&self, path: &str) -> io::Result<Metadata> {
        File::from(self.resolve(self.below_root(path), OFlags::PATH | OFlags::NOFOLLOW)?).metadata()
    }

    /// Names in a folder, in order, with the metadata of each.
    pub(super) fn list(&self, path: &str) -> io::Result<Vec<(OsString, Option<Metadata>)>> {
        let folder = self.resolve(self.below_root(path), FOLDER)?;
        let mut found = Vec::new();
        for entry in Dir::read_from(&folder)? {
            let name = entry?.file_name().to_bytes().to_vec();
            let name: OsString = std::os::unix::ffi::OsStringExt::from_vec(name);
            if name == "." || name == ".." {
                continue;
            }
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let opened = openat(&folder, &name, flags, Mode::empty()).ok();
            found.push((name, opened.and_then(|opened| File::from(opened).metadata().ok())));
        }
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(found)
    }

    /// Creates a new file in place of one of its name, with missing folders. A process that has the
    /// old one open keeps it: a running program cannot be written to.
    pub(super) fn create(&self, path: &str) -> io::Result<File> {
        let (folder, name) = self.parent_and_name(path)?;
        match unlinkat(&folder, &name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC;
        let file = openat(&folder, &name, flags, FILE_MODE)?;
        self.set_owner(&folder, &name)?;
        Ok(file.into())
    }

    /// Writes a file as a program on the board does: an existing one keeps its inode.
    pub(super) fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::TRUNC | OFlags::NONBLOCK;
        let mut file = match self.resolve(self.below_root(path), flags) {
            Ok(file) => File::from(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.create(path)?,
            Err(error) => return Err(error),
        };
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("Not a regular file"));
        }
        file.write_all(bytes)
    }

    /// Opens a folder, creating it with its parents if needed.
    pub(super) fn make_folder(&self, path: &str) -> io::Result<OwnedFd> {
        self.open_or_make(Path::new(self.below_root(path)))
    }

    /// Opens a folder below the root, creating it with its parents if needed.
    fn open_or_make(&self, path: &Path) -> io::Result<OwnedFd> {
        let mut made = PathBuf::from("/");
        let mut opened = self.resolve(&made, FOLDER)?;
        for part in path.components() {
            let name = match part {
                Component::Normal(name) => name,
                Component::ParentDir => OsStr::new(".."),
                _ => continue,
            };
            made.push(name);
            opened = match self.resolve(&made, FOLDER) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    match mkdirat(&opened, name, FOLDER_MODE) {
                        Ok(()) => self.set_owner(&opened, name)?,
                        Err(Errno::EXIST) => {}
                        Err(error) => return Err(error.into()),
                    }
                    self.resolve(&made, FOLDER)?
                }
                other => other?,
            };
        }
        Ok(opened)
    }

    /// Removes a file of the board.
    pub(super) fn remove_file(&self, path: &str) -> io::Result<()> {
        let (folder, name) = self.parent_and_name(path)?;
        Ok(unlinkat(folder, name, AtFlags::empty())?)
    }

    /// Removes a folder of the board with its contents.
    pub(super) fn remove_folder(&self, path: &str) -> io::Result<()> {
        let (folder, name) = self.parent_and_name(path)?;
        remove_contents(&openat(&folder, &name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?)?;
        Ok(unlinkat(folder, name, AtFlags::REMOVEDIR)?)
    }

    /// Renames a file within its folder, replacing one of the new name.
    pub(super) fn rename(&self, path: &str, to: &str) -> io::Result<()> {
        let (folder, name) = self.parent_and_name(path)?;
        let target = Path::new(to).file_name().ok_or(io::ErrorKind::InvalidInput)?;
        Ok(rustix::fs::renameat(&folder, name, &folder, target)?)
    }

    /// Parent folder of a path, created if needed, and the file name in it.
    fn parent_and_name(&self, path: &str) -> io::Result<(OwnedFd, OsString)> {
        let path = Path::new(self.below_root(path));
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
        Ok((self.open_or_make(path.parent().unwrap_or(Path::new("/")))?, name))
    }

    /// Makes the board's user the owner of a file in a folder.
    fn set_owner(&self, folder: &OwnedFd, name: impl AsRef<OsStr>) -> io::Result<()> {
        let Some(uid) = self.user.own_number() else { return Ok(()) };
        let (uid, gid) = (Uid::from_raw(uid), Gid::from_raw(uid));
        Ok(chownat(folder, name.as_ref(), Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW)?)
    }
}

/// Flags for opening a folder.
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY);

/// Removes the contents of a folder; links are removed, not followed.
fn remove_contents(folder: &OwnedFd) -> io::Result<()> {
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        let kind = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode;
        if FileType::from_raw_mode(kind) == FileType::Directory {
            let flags = FOLDER | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            remove_contents(&openat(folder, name, flags, Mode::empty())?)?;
            unlinkat(folder, name, AtFlags::REMOVEDIR)?;
        } else {
            unlinkat(folder, name, AtFlags::empty())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    /// A board's folder beside a file of the host.
    fn board() -> (tempfile::TempDir, BoardFolder) {
        let outside = tempfile::tempdir().unwrap();
        let root = outside.path().join("root");
        fs::create_dir_all(root.join("data/local")).unwrap();
        fs::write(outside.path().join("host"), "host").unwrap();
        let folder = BoardFolder::open_root(&root, BoardUser::find()).unwrap();
        (outside, folder)
    }

    fn text(folder: &BoardFolder, path: &str) -> io::Result<String> {
        let mut text = String::new();
        folder.open(path)?.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn links_and_dots_stay_inside() {
        let (outside, folder) = board();
        let root = folder.path().to_owned();
        let host = outside.path().join("host");
        symlink(&host, root.join("data/absolute")).unwrap();
        symlink("../../host", root.join("data/relative")).unwrap();
        symlink("/data/local", root.join("d")).unwrap();
        for path in ["/data/absolute", "/data/relative", "/../host", "/data/../../host"] {
            assert_ne!(text(&folder, path).unwrap_or_default(), "host", "{path}");
            // What has such a name on the board is written there, or nothing is.
            drop(folder.write(path, b"board"));
            assert_eq!(fs::read_to_string(&host).unwrap(), "host", "{path}");
        }
        folder.write("/d/x", b"1").unwrap();
        assert_eq!(fs::read_to_string(root.join("data/local/x")).unwrap(), "1");
        assert_eq!(text(&folder, "/data/local/x").unwrap(), "1");
        assert_eq!(text(&folder, &format!("{}/d/x", root.display())).unwrap(), "1");
    }

    #[test]
    fn a_folder_that_became_a_link_leads_nowhere() {
        let (outside, folder) = board();
        let root = folder.path().to_owned();
        fs::rename(root.join("data"), root.join("old")).unwrap();
        symlink(outside.path(), root.join("data")).unwrap();
        assert!(folder.create("/data/made").is_err() || !outside.path().join("made").exists());
        assert!(folder.remove_file("/data/host").is_err());
        assert!(folder.remove_folder("/data/root").is_err());
        assert!(outside.path().join("host").exists() && root.exists());
        assert!(folder.list("/data").is_err());
    }

    #[test]
    fn folders_are_removed_without_what_they_link_to() {
        let (outside, folder) = board();
        let root = folder.path().to_owned();
        folder.write("/data/data/p/files/a", b"1").unwrap();
        symlink(outside.path(), root.join("data/data/p/files/link")).unwrap();
        folder.remove_folder("/data/data/p").unwrap();
        assert!(!root.join("data/data/p").exists());
        assert!(outside.path().join("host").exists());
    }

    #[test]
    fn a_pipe_keeps_nobody_waiting() {
        let (_outside, folder) = board();
        let pipe = folder.path().join("data/pipe");
        rustix::fs::mknodat(CWD, &pipe, FileType::Fifo, FILE_MODE, 0).unwrap();
        assert!(folder.open("/data/pipe").is_err());
        assert!(folder.write("/data/pipe", b"x").is_err());
    }
}
