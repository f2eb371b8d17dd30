use std::io::Write as _;

pub(crate) fn show_openapi() -> anyhow::Result<()> {
    let mut text = causeway_http::openapi().to_pretty_json()?;
    text.push('\n');
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}
