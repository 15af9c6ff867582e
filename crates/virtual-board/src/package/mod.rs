//! Installed applications. An application is an Android package, or, on a board that accepts these,
//! a jar whose manifest names the package (`Wattline-Package`); it lies in `/data/app`, its data in
//! `/data/data/PACKAGE`.

pub(super) mod archive;
pub(super) mod files;

use std::io;

use crate::android::{InstallError, InstallFlags, is_package_name};
use crate::machine::Machine;
use files::{archive_path, files_path};

/// Installs a package or a jar, ends its running processes, and returns its package's name.
pub(super) fn install(
    machine: &Machine,
    path: &str,
    flags: InstallFlags,
) -> Result<String, InstallError> {
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
        files::install_archive(&machine.state.folder, &name, copy.path())?;
        machine.android.remove(&name);
        return Ok(name);
    }
    let package = machine.android.prepare(copy.path(), machine.state.file.sdk, flags)?;
    let name = package.facts.package.clone();
    machine.apps.stop(&name);
    files::install_archive(&machine.state.folder, &name, copy.path())?;
    machine.android.insert(package);
    Ok(name)
}

/// Removes an application and its data.
pub(super) fn remove(machine: &Machine, name: &str) -> Result<(), InstallError> {
    files::find_package(&machine.state.folder, name).ok_or(InstallError::NotInstalled)?;
    machine.state.folder.remove_file(&archive_path(name))?;
    machine.android.remove(name);
    Ok(machine.state.folder.remove_folder(&format!("/data/data/{name}"))?)
}

/// Removes an application's data and creates an empty folder for new ones.
pub(super) fn clear(machine: &Machine, name: &str) -> Result<(), InstallError> {
    files::find_package(&machine.state.folder, name).ok_or(InstallError::NotInstalled)?;
    machine.state.folder.remove_folder(&files_path(name))?;
    Ok(machine.state.folder.make_folder(&files_path(name)).map(drop)?)
}
