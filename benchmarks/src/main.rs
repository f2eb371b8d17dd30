//! The benchmarks of this folder's README, by name: `causeway-benchmarks quotes`.

mod events;
mod http;
mod load;
mod orders;
mod quotes;
mod search;
mod start;
mod store;

/// The allocator of the service's binary, for all servers that are compared.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() {
    causeway_benchmarks::install_tls();
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    match name.as_str() {
        "events" => events::measure_all(rest).await,
        "http" => http::measure_all().await,
        "load" => load::measure_all(rest).await,
        "orders" => orders::measure_all(rest).await,
        "quotes" => quotes::measure_all(rest).await,
        "search" => search::measure_all(),
        "start" => start::measure_all(rest).await,
        "store" => store::measure_all().await,
        _ => panic!("usage: causeway-benchmarks events|http|load|orders|quotes|search|start|store"),
    }
}
