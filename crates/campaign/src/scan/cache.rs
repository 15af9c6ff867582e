//! Cache of earlier scans' results by file, so that a file is counted again only if its tables
//! could have changed.
//!
//! The key of an entry is a hash of the file's path and text, the program, the granularity and the
//! class path. The entry holds the file's API stub, so that the file need not be parsed; its rows;
//! and their dependencies on other files: the names of the classes that were looked up, and a hash
//! of the results ([`ClassFingerprints`]).

use std::cell::RefCell;
use std::io;
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use serde::{Deserialize, Serialize};
use zstd::bulk::{Compressor, Decompressor};

use crate::blocks::Granularity;
use crate::java::ClassPath;
use crate::java::fingerprints::{ClassFingerprints, DependencyFingerprint};
use crate::java::syntax_tree::SyntaxTree;
use crate::operations::Unit;
use crate::toolchain::Store;
use crate::toolchain::file_tree::FileTree;
use crate::toolchain::store::StoreKey;

use super::rows::ScanRows;

/// Cache of scan results for one program, granularity and class path.
pub(super) struct ScanCache {
    store: Store,
    context: [u8; blake3::KEY_LEN],
    /// First error of writing an entry.
    trouble: Mutex<Option<io::Error>>,
}

/// Cache entry of one file.
pub(super) struct CachedFile {
    head: Vec<u8>,
    body: Vec<u8>,
}

/// Rows of a file, with the fingerprint of their dependencies.
pub(super) struct CachedRows {
    dependencies: DependencyFingerprint,
    packed: Vec<u8>,
}

/// Rows counted in a file, to be written to the cache.
pub(super) struct CountedRows<'r> {
    /// Id of the file's first block.
    pub first: u32,
    /// Fingerprint of the dependencies on other files.
    pub dependencies: DependencyFingerprint,
    pub rows: &'r ScanRows,
}

/// Head of an entry, before the bytes of the API stub. The second part is only read if the rows are
/// valid: the id of the file's first block when they were counted, and the rows.
#[derive(Serialize, Deserialize)]
struct CacheEntryHead {
    blocks: u32,
    dependencies: Option<DependencyFingerprint>,
}

impl ScanCache {
    /// # Errors
    /// If the program or the class path can't be read.
    pub fn of(
        store: Store,
        granularity: Granularity,
        classes: &ClassPath,
    ) -> io::Result<ScanCache> {
        let mut context = blake3::Hasher::new();
        context.update(format!("{granularity:?}").as_bytes());
        // The program's own bytes: what any other build would have found is not known.
        context.update(program_hash()?.as_bytes());
        classes.entries().try_for_each(|place| add_class_path_entry(&mut context, place))?;
        let context = *context.finalize().as_bytes();
        Ok(ScanCache { store, context, trouble: Mutex::default() })
    }

    /// Cache key of a file, from its path and text.
    pub fn key(&self, path: &str, text: &str) -> StoreKey {
        let mut hasher = blake3::Hasher::new_keyed(&self.context);
        hasher.update(&(path.len() as u64).to_le_bytes());
        hasher.update(path.as_bytes()).update(text.as_bytes()).finalize()
    }

    /// The entry with this key.
    pub(crate) fn look_up(&self, key: &StoreKey) -> Option<CachedFile> {
        let entry = self.store.get(key)?;
        let (length, rest) = entry.split_at_checked(size_of::<u32>())?;
        let length = u32::from_le_bytes(length.try_into().ok()?);
        let (head, body) = rest.split_at_checked(length as usize)?;
        Some(CachedFile { head: unpacked(head)?, body: body.to_vec() })
    }

    /// Writes the entry of a file: its stub, and its rows if it was counted.
    pub fn keep(
        &self,
        key: &StoreKey,
        surface: &SyntaxTree,
        blocks: u32,
        counted: Option<CountedRows<'_>>,
    ) {
        let body = |counted: CountedRows<'_>| {
            (counted.dependencies, packed(&bytes(&(counted.first, counted.rows))))
        };
        let (dependencies, body) = counted.map(body).unzip();
        let head =
            packed(&[bytes(&CacheEntryHead { blocks, dependencies }), surface.to_bytes()].concat());
        let length = (head.len() as u32).to_le_bytes();
        let entry = [&length, &*head, &*body.unwrap_or_default()].concat();
        if let Err(error) = self.store.put(key, &entry)
            && let Ok(mut trouble) = self.trouble.lock()
        {
            trouble.get_or_insert(error);
        }
    }

    /// Trims the cache; returns the first error of writing an entry, if any.
    pub fn finish(self) -> Option<io::Error> {
        self.store.trim();
        self.trouble.into_inner().ok().flatten()
    }
}

impl CachedFile {
    /// The file's API stub, with `text` as its text without Unicode escapes, and its rows, if the
    /// entry has any.
    pub fn into_unit(self, text: &str) -> Option<(Unit, Option<CachedRows>)> {
        let (CacheEntryHead { blocks, dependencies }, surface) =
            postcard::take_from_bytes(&self.head).ok()?;
        let tree = SyntaxTree::from_bytes(surface, text)?;
        let rows = dependencies.map(|dependencies| CachedRows { dependencies, packed: self.body });
        Some((Unit::Stub { tree, blocks }, rows))
    }
}

impl CachedRows {
    /// Whether counting again would give the same rows.
    pub fn are_valid(&self, answers: &ClassFingerprints) -> bool {
        answers.are_unchanged(&self.dependencies)
    }

    /// The rows, with block ids from `first` on.
    pub fn unpacked(&self, first: u32) -> ScanRows {
        let body = unpacked(&self.packed);
        let body: Option<(u32, ScanRows)> = body.and_then(|body| postcard::from_bytes(&body).ok());
        let (before, mut rows) = body.expect("an entry with the right hash is one that was kept");
        if first != before {
            rows.tables = rows.tables.renumbered(before, first);
        }
        rows
    }
}

/// Hash of the running program's file, which is read once.
fn program_hash() -> io::Result<blake3::Hash> {
    static PROGRAM: OnceLock<blake3::Hash> = OnceLock::new();
    match PROGRAM.get() {
        Some(hash) => Ok(*hash),
        None => hash_of(&std::env::current_exe()?).map(|hash| *PROGRAM.get_or_init(|| hash)),
    }
}

fn hash_of(path: &Path) -> io::Result<blake3::Hash> {
    Ok(blake3::Hasher::new().update_mmap(path)?.finalize())
}

fn add_file(context: &mut blake3::Hasher, path: &Path) -> io::Result<()> {
    context.update(hash_of(path)?.as_bytes());
    Ok(())
}

/// Adds an entry of the class path to the hash: a jar or the JDK's own file; or a folder, with the
/// names of its class files.
fn add_class_path_entry(context: &mut blake3::Hasher, place: &Path) -> io::Result<()> {
    if !place.is_dir() {
        context.update(b"file");
        return add_file(context, place);
    }
    context.update(b"folder");
    let tree = FileTree::read(place, &|name| name.ends_with(".class"));
    if let Some(unreadable) = tree.unreadable.into_iter().next() {
        return Err(unreadable.source);
    }
    for file in tree.files {
        context.update(blake3::hash(file.name.as_bytes()).as_bytes());
        add_file(context, &file.path)?;
    }
    // A link to what is read already is another name of it.
    for link in tree.skipped {
        context.update(blake3::hash(format!("{} {}", link.name, link.why).as_bytes()).as_bytes());
    }
    Ok(())
}

/// The fastest of zstd's levels that are not negative.
const LEVEL: i32 = 1;

thread_local! {
    static PACKER: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

const MEMORY: &str = "writing values to memory does not fail";

fn bytes(value: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(value).expect(MEMORY)
}

/// Compressed bytes, after the length of those that are not.
fn packed(bytes: &[u8]) -> Vec<u8> {
    let compressed = PACKER.with_borrow_mut(|packer| {
        let packer = packer.get_or_insert_with(|| Compressor::new(LEVEL).expect(MEMORY));
        packer.compress(bytes).expect(MEMORY)
    });
    [&(bytes.len() as u32).to_le_bytes(), &*compressed].concat()
}

/// The bytes that [`packed`] compressed; `None` for other bytes.
fn unpacked(packed: &[u8]) -> Option<Vec<u8>> {
    let (length, compressed) = packed.split_at_checked(size_of::<u32>())?;
    let length = u32::from_le_bytes(length.try_into().ok()?);
    UNPACKER.with_borrow_mut(|unpacker| {
        let unpacker = unpacker.get_or_insert_with(|| Decompressor::new().expect(MEMORY));
        unpacker.decompress(compressed, length as usize).ok()
    })
}
