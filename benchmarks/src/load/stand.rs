use std::path::Path;
use std::time::Duration;

use causeway_benchmarks::cpu_time;

use crate::orders::process::Process;
use crate::orders::service::Service;

/// Where the services keep their data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setup {
    Sqlite,
    /// So many replicas on one PostgreSQL.
    Postgres(usize),
}

impl Setup {
    pub(crate) const ALL: [Self; 3] = [Self::Sqlite, Self::Postgres(1), Self::Postgres(2)];

    pub(crate) fn name(self) -> String {
        match self {
            Self::Sqlite => "SQLite".to_owned(),
            Self::Postgres(1) => "PostgreSQL".to_owned(),
            Self::Postgres(count) => format!("{count} replicas, PostgreSQL"),
        }
    }
}

/// Chains and services, each in a process of its own.
pub(crate) struct Stand {
    pub(crate) chains: Process,
    pub(crate) services: Vec<Process>,
    pub(crate) is_postgres: bool,
}

impl Stand {
    /// Starts them; `None` without a PostgreSQL server where one is needed.
    pub(crate) fn start(binary: &Path, setup: Setup) -> Option<Self> {
        let (count, database) = match setup {
            Setup::Sqlite => (1, String::new()),
            Setup::Postgres(count) => (count, format!("[database]\nurl = \"{}\"\n", fresh_database()?)),
        };
        let chains = Process::chains(binary);
        let mut services: Vec<Process> = Vec::new();
        for number in 0..count {
            let settings = if count > 1 {
                format!("{database}[server]\nreplica = {number}\n")
            } else {
                database.clone()
            };
            let service = Process::service_with(binary, &chains.url, &settings, services.first());
            services.push(service);
        }
        Some(Self { chains, services, is_postgres: setup != Setup::Sqlite })
    }

    /// A client that uses all replicas in turn.
    pub(crate) fn client(&self) -> Service {
        Service::of_replicas(self.services.iter().map(|service| service.url.clone()).collect())
    }

    pub(crate) fn spent(&self) -> Spent {
        let of = |process: &Process| cpu_time(&process.id().to_string());
        Spent {
            services: self.services.iter().map(of).sum(),
            chains: of(&self.chains),
            clients: cpu_time("self"),
            database: if self.is_postgres { database_time() } else { Duration::ZERO },
        }
    }
}

/// Processor time, told apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spent {
    pub(crate) services: Duration,
    pub(crate) chains: Duration,
    pub(crate) clients: Duration,
    pub(crate) database: Duration,
}

impl Spent {
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            services: self.services.saturating_sub(before.services),
            chains: self.chains.saturating_sub(before.chains),
            clients: self.clients.saturating_sub(before.clients),
            // A server process that ended took its time with it.
            database: self.database.saturating_sub(before.database),
        }
    }

    /// Milliseconds for each of so many, in the order of the fields.
    pub(crate) fn each(self, count: usize) -> [f64; 4] {
        let each = |time: Duration| time.as_secs_f64() * 1_000.0 / count.max(1) as f64;
        [self.services, self.chains, self.clients, self.database].map(each)
    }
}

/// The processor time of every process called `postgres`.
fn database_time() -> Duration {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Duration::ZERO };
    let names = processes.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let is_server = |id: &String| {
        std::fs::read_to_string(format!("/proc/{id}/comm")).is_ok_and(|name| name.trim() == "postgres")
    };
    names
        .filter(|id| id.bytes().all(|byte| byte.is_ascii_digit()))
        .filter(is_server)
        .map(|id| cpu_time(&id))
        .sum()
}

/// A new database on the server that `CAUSEWAY_TEST_POSTGRES` names.
pub(crate) fn fresh_database() -> Option<String> {
    let server = std::env::var("CAUSEWAY_TEST_POSTGRES").ok()?;
    let name = format!("load_{}_{}", std::process::id(), jiff::Timestamp::now().as_nanosecond());
    let made = std::process::Command::new("psql")
        .args(["--quiet", "--no-psqlrc", "--command", &format!("CREATE DATABASE {name}"), &server])
        .status();
    assert!(made.is_ok_and(|status| status.success()), "psql makes a database");
    let (base, _) = server.rsplit_once('/').expect("an address with a database");
    Some(format!("{base}/{name}"))
}
