//! `landform completions`: what a shell needs to complete the command line.

use crate::Arguments;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use landform_cli::stop::{Result, print};
use std::process::ExitCode;

/// Prints a script with which a shell completes commands, options and their values
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  source <(landform completions bash)
  landform completions zsh >~/.zfunc/_landform
  landform completions fish >~/.config/fish/completions/landform.fish")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "landform", &mut script);
        print(String::from_utf8_lossy(&script))?;
        Ok(ExitCode::SUCCESS)
    }
}
