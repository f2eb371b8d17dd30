//! A path to the database that can break in the ways in which networks do.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// How the path behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Path {
    Open,
    /// What is sent is taken and goes nowhere; nobody is told.
    HalfOpen,
    /// Connections end, and new ones too.
    Cut,
}

pub(super) struct DatabaseProxy {
    address: SocketAddr,
    path: watch::Sender<Path>,
}

impl DatabaseProxy {
    /// A path to this server, on a port of its own.
    pub(super) async fn start(server: String) -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (path, state) = watch::channel(Path::Open);
        let proxy = Arc::new(Self { address: listener.local_addr().unwrap(), path });
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, server.clone(), state.clone()));
            }
        });
        proxy
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) fn set(&self, path: Path) {
        self.path.send_replace(path);
    }
}

/// Carries bytes both ways while the path is open.
async fn carry(mut client: TcpStream, server: String, mut path: watch::Receiver<Path>) {
    if *path.borrow_and_update() == Path::Cut {
        return;
    }
    let Ok(mut server) = TcpStream::connect(server).await else { return };
    loop {
        if *path.borrow_and_update() == Path::Open {
            tokio::select! {
                _ = tokio::io::copy_bidirectional(&mut client, &mut server) => return,
                _ = path.changed() => {}
            }
        } else if path.changed().await.is_err() {
            return;
        }
        // What was on its way is lost, so that the connection cannot go on afterwards.
        if *path.borrow() != Path::HalfOpen {
            return;
        }
    }
}
