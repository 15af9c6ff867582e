//! Installed applications. An application is an Android package, or, on a board that takes
//! these, a jar whose manifest names the package (`Wattline-Package`); it lies in `/data/app`,
//! its data in `/data/data/PACKAGE`.

pub(super) mod archive;
pub(super) mod files;

use std::io;

use crate::android::{Flags, InstallError, is_package_name};
use crate::machine::Machine;
use files::{archive_of, files_of};

/// Installs a package or a jar, and returns its package's name. What ran of it is ended.
pub(super) fn install(machine: &Machine, path: &str, flags: Flags) -> Result<String, InstallError> {
    let mut source = machine.state.folder.open(path).map_err(|_| InstallError::Missing)?;
    if machine.state.is_disk_full() {
        return Err(InstallError::Full);
    }
    // A copy that nothing on the board can change is what is read, checked and kept.
    let mut copy = tempfile::NamedTempFile::new_in(machine.apps.scratch())?;
    io::copy(&mut source, &mut copy)?;
    let mut archive = archive::open(copy.path())?;
    archive::check_entries(&mut archive)?;
    let attribute = || archive::manifest_attribute(&mut archive, "Wattline-Package");
    let jar = machine.android.jars.then(attribute);
    if let Some(name) = jar.flatten().filter(|name| is_package_name(name)) {
        machine.apps.stop(&name);
        files::put(&machine.state.folder, &name, copy.path())?;
        machine.android.remove(&name);
        return Ok(name);
    }
    let package = machine.android.check(copy.path(), machine.state.file.sdk, flags)?;
    let name = package.facts.package.clone();
    machine.apps.stop(&name);
    files::put(&machine.state.folder, &name, copy.path())?;
    machine.android.keep(package);
    Ok(name)
}

/// Removes an application and its data.
pub(super) fn remove(machine: &Machine, name: &str) -> Result<(), InstallError> {
    files::find(&machine.state.folder, name).ok_or(InstallError::NotInstalled)?;
    machine.state.folder.remove_file(&archive_of(name))?;
    machine.android.remove(name);
    Ok(machine.state.folder.remove_folder(&format!("/data/data/{name}"))?)
}

/// Removes an application's data.
pub(super) fn clear(machine: &Machine, name: &str) -> Result<(), InstallError> {
    files::find(&machine.state.folder, name).ok_or(InstallError::NotInstalled)?;
    machine.state.folder.remove_folder(&files_of(name))?;
    Ok(machine.state.folder.make_folder(&files_of(name)).map(drop)?)
}
