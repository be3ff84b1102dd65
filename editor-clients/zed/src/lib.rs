//! Starts roofline-lsp from PATH, and hands it the settings that a person gave it in Zed.

use zed_extension_api::{self as zed, serde_json, settings::LspSettings, LanguageServerId, Result};

const PROGRAM: &str = "roofline-lsp";

struct Roofline;

impl zed::Extension for Roofline {
    fn new() -> Self {
        Roofline
    }

    fn language_server_command(
        &mut self,
        _server: &LanguageServerId,
        worktree: &zed::Worktree,
    ) -> Result<zed::Command> {
        let command = worktree.which(PROGRAM).ok_or_else(|| {
            format!("{PROGRAM} is not on PATH: install it with `python -m pip install roofline-lsp`")
        })?;
        Ok(zed::Command {
            command,
            args: vec!["--stdio".to_string()],
            env: worktree.shell_env(),
        })
    }

    fn language_server_workspace_configuration(
        &mut self,
        server: &LanguageServerId,
        worktree: &zed::Worktree,
    ) -> Result<Option<serde_json::Value>> {
        let settings = LspSettings::for_worktree(server.as_ref(), worktree)?.settings;
        Ok(settings.map(|roofline| serde_json::json!({ "roofline": roofline })))
    }
}

zed::register_extension!(Roofline);
