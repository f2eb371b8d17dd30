/// Reports that the process is alive.
#[utoipa::path(get, path = "/healthz", tag = "operations", responses((status = 200, description = "Alive", body = String, example = "ok")))]
pub(crate) async fn healthz() -> &'static str {
    "ok"
}
