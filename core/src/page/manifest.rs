//! `GET /manifest.webmanifest`: how the site is called and looks among a phone's apps
//! ([Web Application Manifest](https://www.w3.org/TR/appmanifest/)).

use serde_json::json;

use super::asset::{self, Asset};
use crate::cache::Representation;
use crate::context::Context;
use crate::http::response;

pub(crate) fn show(context: &Context) -> Representation {
    let root = super::site::root(context);
    let icon = |asset: &Asset, sizes| {
        json!({
            "src": asset.at(root),
            "sizes": sizes,
            "type": "image/png",
            "purpose": "any maskable",
        })
    };
    let mut manifest = json!({
        "name": context.pages.name,
        "start_url": format!("{root}/"),
        "scope": format!("{root}/"),
        "display": "minimal-ui",
        "background_color": "#fdfcfa",
        "icons": [
            icon(asset::SMALL_APP_ICON, "192x192"),
            icon(asset::LARGE_APP_ICON, "512x512"),
        ],
    });
    if let Some(description) = &context.pages.description {
        manifest["description"] = json!(description);
    }
    Representation::new("application/manifest+json").with_body(response::json_bytes(&manifest))
}
