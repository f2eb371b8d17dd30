use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use causeway_client::CancellationToken;

use super::failure::Failure;

/// As shells tell that Ctrl-C ended a command.
const STOPPED: i32 = 130;

/// What Ctrl-C does: the first lets the command end in order, a second ends it at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt {
    pub(crate) token: CancellationToken,
    asking: Arc<AtomicBool>,
}

impl Interrupt {
    pub(crate) fn listen() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let listening = Self::default();
        let told = listening.clone();
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                // A question keeps its thread until it is answered, and nothing is signed before.
                if told.asking.load(Ordering::SeqCst) || told.token.is_cancelled() {
                    super::output::say("");
                    std::process::exit(STOPPED);
                }
                told.token.cancel();
            }
        });
        Ok(listening)
    }

    /// Asks a person for a yes; Ctrl-C is a no.
    pub(crate) fn confirm(&self, question: &str) -> bool {
        use std::io::Write as _;
        self.asking.store(true, Ordering::SeqCst);
        let mut err = std::io::stderr();
        let _ = write!(err, "{question} [y/N] ").and_then(|()| err.flush());
        let mut answer = String::new();
        let read = tokio::task::block_in_place(|| std::io::stdin().read_line(&mut answer));
        self.asking.store(false, Ordering::SeqCst);
        read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
    }
}
