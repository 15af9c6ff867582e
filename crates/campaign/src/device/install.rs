//! Installing an application.

use std::path::Path;
use std::time::Duration;

use super::board::Board;
use super::error::DeviceError;
use super::remote_folders::SCRIPT_FOLDER;
use super::scripts;

/// Android compiles an application when it is installed, or after that.
const LIMIT: Duration = Duration::from_secs(180);

/// Installs an application over an older one, and has it compiled where Android does that. The
/// board is prepared.
pub(super) fn install(board: &dyn Board, file: &Path, package: &str) -> Result<(), DeviceError> {
    let content = std::fs::read(file)
        .map_err(|source| DeviceError::File { path: file.to_owned(), source })?;
    let remote = format!("{SCRIPT_FOLDER}/install.apk");
    board.push(&content, &remote, 0o644)?;
    let command = scripts::script_command("install.sh", &[remote, package.to_owned()]);
    let answer = board.shell(&command, LIMIT)?;
    if scripts::last_value(&answer.stdout, "installed") == Some("yes") {
        return Ok(());
    }
    Err(DeviceError::Install {
        serial: board.serial().to_owned(),
        file: file.to_owned(),
        message: answer.all_output(),
    })
}
