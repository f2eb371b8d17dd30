use std::collections::HashMap;
use std::path::Path;

use bytes::Bytes;
use causeway_domain::{Chain, ChainId};

use super::{ChainOverride, placeholder_icon};
use crate::digest::hex_digest;
use crate::{CatalogError, data};

/// Maximum logo size.
const MAX_ICON_BYTES: usize = 256 * 1024;

/// A chain's logo as SVG, with the strong entity tag of its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Icon {
    pub svg: Bytes,
    /// Including the quotes, as in the header.
    pub etag: String,
}

impl Icon {
    pub(crate) fn new(svg: Bytes) -> Self {
        let etag = format!("\"{}\"", hex_digest(&svg, 16));
        Self { svg, etag }
    }
}

/// The icon of every chain.
#[derive(Debug, Default)]
pub(crate) struct Icons(HashMap<ChainId, Icon>);

impl Icons {
    /// Loads each icon from the configuration, else from the bundle, else draws a placeholder.
    pub(crate) fn load(chains: &[Chain], overrides: &[ChainOverride]) -> Result<Self, CatalogError> {
        let mut icons = HashMap::with_capacity(chains.len());
        for chain in chains {
            let id = chain.id.get();
            let configured =
                overrides.iter().find(|change| change.id == id).and_then(|change| change.icon.as_deref());
            let svg = match (configured, data::icon(chain.id)) {
                (Some(path), _) => {
                    read(path).map_err(|reason| CatalogError::Icon { id, path: path.to_owned(), reason })?
                }
                (None, Some(bundled)) => Bytes::from_static(bundled),
                (None, None) => Bytes::from(placeholder_icon::draw(&chain.name, &chain.color)),
            };
            icons.insert(chain.id, Icon::new(svg));
        }
        Ok(Self(icons))
    }

    pub(crate) fn get(&self, chain: ChainId) -> Option<&Icon> {
        self.0.get(&chain)
    }
}

fn read(path: &Path) -> Result<Bytes, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    if text.len() > MAX_ICON_BYTES {
        return Err("it is larger than 256 KiB".to_owned());
    }
    if !text.contains("<svg") {
        return Err("it is not an SVG image".to_owned());
    }
    Ok(Bytes::from(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configured(extra: &str) -> Vec<ChainOverride> {
        let text = format!(
            "id = 424242\nname = \"Gnosis\"\nnative = {{ name = \"X\", symbol = \"X\" }}\n\
             explorer = {{ name = \"S\", url = \"https://s.example.org\" }}\n{extra}"
        );
        vec![toml::from_str(&text).unwrap()]
    }

    fn icon_of(overrides: &[ChainOverride]) -> Result<Icon, CatalogError> {
        let chains = super::super::apply(crate::fixture::chains(), overrides)?;
        let icons = Icons::load(&chains, overrides)?;
        Ok(icons.get(ChainId::new(424_242).unwrap()).unwrap().clone())
    }

    #[test]
    fn a_chain_without_a_logo_gets_a_placeholder_in_its_color() {
        let icon = icon_of(&configured("color = \"#04795B\"")).unwrap();
        assert!(std::str::from_utf8(&icon.svg).unwrap().contains("fill=\"#04795b\""));
    }

    #[test]
    fn the_entity_tag_follows_the_bytes() {
        let one = icon_of(&configured("color = \"#04795b\"")).unwrap();
        let two = icon_of(&configured("color = \"#04795c\"")).unwrap();
        assert_ne!(one.etag, two.etag);
        assert_eq!(one.etag.len(), 34);
        assert!(one.etag.starts_with('"') && one.etag.ends_with('"'));
    }

    #[test]
    fn a_configured_logo_is_read_and_must_be_svg() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("logo.svg");
        let configured = configured(&format!("icon = {:?}", path.display().to_string()));
        assert!(icon_of(&configured).unwrap_err().to_string().contains("logo.svg"));
        std::fs::write(&path, "hello").unwrap();
        assert!(icon_of(&configured).unwrap_err().to_string().contains("not an SVG"));
        std::fs::write(&path, "<svg xmlns=\"http://www.w3.org/2000/svg\"/>").unwrap();
        assert!(icon_of(&configured).unwrap().svg.starts_with(b"<svg"));
    }
}
