use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use causeway_benchmarks::{cpu_time, resident};
use futures::future::join_all;
use futures::{StreamExt as _, stream};

use crate::Scale;
use crate::chains::{CHAINS, Chains, Wallet};
use crate::process::Process;
use crate::proxy::{Calls, Proxy};
use crate::service::{Service, Wish};

/// How many more orders are filled while the others wait.
const MORE: usize = 10;

/// How many orders are made at once.
const AT_ONCE: usize = 32;

/// How long the service may catch up before something is measured.
const SETTLE: Duration = Duration::from_secs(5);

/// What was seen with so many open orders.
struct Row {
    open: usize,
    idle: Calls,
    /// Of one core, in the idle window.
    share: f64,
    /// In kilobytes.
    memory: u64,
    moving: Calls,
    filled: usize,
}

/// What the service asks of the chains and holds in memory, with ever more orders that wait.
pub(crate) struct OpenOrders<'a> {
    pub(crate) process: &'a Process,
    pub(crate) service: &'a Service,
    pub(crate) chains: &'a Chains,
    pub(crate) proxy: &'a Proxy,
    pub(crate) scale: &'a Scale,
}

impl OpenOrders<'_> {
    pub(crate) async fn measure(&self) {
        let mut others = self.chains.wallets("other", CHAINS.len()).await;
        let mut payers = self.chains.wallets("payer", MORE).await;
        tokio::time::sleep(self.scale.calm).await;
        let (mut rows, mut made) = (Vec::new(), 0);
        for (number, open) in std::iter::once(0).chain(self.scale.open.iter().copied()).enumerate() {
            let payers_now = &payers;
            stream::iter(made..open)
                .for_each_concurrent(AT_ONCE, |number| {
                    self.service.leave_open(number, &payers_now[number % MORE])
                })
                .await;
            made = open;
            eprintln!("{open} orders are open; the next windows take {:.0?}", SETTLE + self.scale.window * 2);
            rows.push(self.look(open, number, &mut others, &mut payers).await);
        }
        self.print(&rows);
    }

    /// One window in which nothing happens but blocks, and one in which a few orders are filled.
    async fn look(&self, open: usize, turn: usize, others: &mut [Wallet], payers: &mut [Wallet]) -> Row {
        self.chains.stir(others).await;
        tokio::time::sleep(SETTLE).await;
        let process = self.process.id().to_string();
        let spent = cpu_time(&process);
        self.proxy.take();
        tokio::time::sleep(self.scale.window).await;
        let idle = self.proxy.take();
        let share =
            (cpu_time(&process).saturating_sub(spent)).as_secs_f64() / self.scale.window.as_secs_f64();
        let memory = resident(self.process.id());

        self.chains.stir(others).await;
        let begun = Instant::now();
        self.proxy.take();
        let swaps = payers.iter_mut().map(|wallet| async move {
            let wish = Wish::of(wallet, turn);
            self.service.swap(self.chains, wallet, &wish).await
        });
        let filled = join_all(swaps).await.into_iter().flatten().count();
        // What is filled is claimed after that.
        tokio::time::sleep(self.scale.window.saturating_sub(begun.elapsed())).await;
        let moving = self.proxy.take();
        let longer = begun.elapsed().as_secs_f64() / self.scale.window.as_secs_f64();
        if longer > 1.1 {
            println!("With {open} open, filling {MORE} more took {longer:.1} times the window.\n");
        }
        Row { open, idle, share, memory, moving, filled }
    }

    fn print(&self, rows: &[Row]) {
        let seconds = self.scale.window.as_secs();
        println!(
            "| open orders | read calls in {seconds} s | for each order | of the first | while {MORE} more are filled | for each order | of the first | one core | memory | more than with none |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|");
        let per = |calls: &Calls, orders: usize| calls.values().sum::<u64>() as f64 / orders as f64;
        let none = rows.first().map_or(0, |row| row.memory);
        let first = rows.get(1);
        for row in rows {
            let Row { open, idle, share, memory, moving, filled } = row;
            let each = |calls: fn(&Row) -> (&Calls, usize)| {
                let of = |row: &Row| {
                    let (calls, orders) = calls(row);
                    per(calls, orders)
                };
                let ratio = first.map_or(f64::NAN, |first| of(row) / of(first));
                if *open == 0 { "| |".to_owned() } else { format!("{:.4} | {ratio:.4} |", of(row)) }
            };
            println!(
                "| {open} | {} | {} {} ({filled} filled) | {} {:.1} % | {:.1} MB | {:.1} MB |",
                idle.values().sum::<u64>(),
                each(|row| (&row.idle, row.open)),
                moving.values().sum::<u64>(),
                each(|row| (&row.moving, row.open + MORE)),
                share * 100.0,
                *memory as f64 / 1024.0,
                memory.saturating_sub(none) as f64 / 1024.0,
            );
        }
        print_methods(rows);
    }
}

/// What the calls of the idle windows were.
fn print_methods(rows: &[Row]) {
    let methods: BTreeSet<&String> = rows.iter().flat_map(|row| row.idle.keys()).collect();
    let cells = |cell: &dyn Fn(&Row) -> String| rows.iter().map(cell).collect::<Vec<_>>().join(" | ");
    println!("\n| read calls, with open orders | {} |", cells(&|row| row.open.to_string()));
    println!("|---|{}", "---|".repeat(rows.len()));
    for method in methods {
        println!("| `{method}` | {} |", cells(&|row| row.idle.get(method).copied().unwrap_or(0).to_string()));
    }
}
