use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

const FRAMES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const BETWEEN_FRAMES: Duration = Duration::from_millis(120);
const CLEAR_LINE: &str = "\r\x1b[2K";

/// Tells on standard error how far a command is: a moving line on a terminal, plain lines elsewhere.
pub(crate) struct Progress {
    scene: Arc<Scene>,
    ticker: Option<JoinHandle<()>>,
}

struct Scene {
    look: Look,
    waiting: Mutex<Option<Waiting>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Silent,
    Lines,
    Moving { colour: bool },
}

struct Waiting {
    text: String,
    since: Instant,
    frame: usize,
}

impl Progress {
    pub(crate) fn start(quiet: bool) -> Self {
        let told = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let look = match (quiet, io::stderr().is_terminal() && !dumb) {
            (true, _) => Look::Silent,
            (false, true) => Look::Moving { colour: !told("NO_COLOR") },
            (false, false) => Look::Lines,
        };
        let scene = Arc::new(Scene { look, waiting: Mutex::default() });
        let ticker = matches!(look, Look::Moving { .. }).then(|| {
            let scene = Arc::clone(&scene);
            tokio::spawn(async move {
                loop {
                    tokio::time::sleep(BETWEEN_FRAMES).await;
                    scene.draw();
                }
            })
        });
        Self { scene, ticker }
    }

    /// A step is done.
    pub(crate) fn step(&self, title: &str, detail: &str) {
        self.scene.step(title, detail);
    }

    /// From now on, until the next step, this is waited for.
    pub(crate) fn waiting(&self, text: &str) {
        let next = Waiting { text: text.to_owned(), since: Instant::now(), frame: 0 };
        *self.scene.lock() = Some(next);
        self.scene.draw();
    }

    /// Nothing is waited for, and the line is free for others.
    pub(crate) fn rest(&self) {
        self.scene.rest();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(ticker) = &self.ticker {
            ticker.abort();
        }
        self.scene.rest();
    }
}

impl Scene {
    fn lock(&self) -> MutexGuard<'_, Option<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn step(&self, title: &str, detail: &str) {
        self.rest();
        let line = match self.look {
            Look::Silent => return,
            Look::Lines => format!("{title:<10} {detail}"),
            Look::Moving { colour: true } => format!("\x1b[32m✓\x1b[0m {title:<10} {detail}"),
            Look::Moving { colour: false } => format!("✓ {title:<10} {detail}"),
        };
        let _ = writeln!(io::stderr().lock(), "{}", line.trim_end());
    }

    fn rest(&self) {
        // The lock is held while the line is cleared, so that no frame is drawn after it.
        let mut waiting = self.lock();
        if waiting.take().is_some() && matches!(self.look, Look::Moving { .. }) {
            let _ = write!(io::stderr().lock(), "{CLEAR_LINE}");
        }
    }

    fn draw(&self) {
        let mut waiting = self.lock();
        let (Some(waiting), Look::Moving { colour }) = (waiting.as_mut(), self.look) else { return };
        let frame = FRAMES.get(waiting.frame % FRAMES.len()).copied().unwrap_or('·');
        waiting.frame = waiting.frame.wrapping_add(1);
        let (on, off) = if colour { ("\x1b[36m", "\x1b[0m") } else { ("", "") };
        let seconds = waiting.since.elapsed().as_secs();
        let mut out = io::stderr().lock();
        let _ = write!(out, "{CLEAR_LINE}{on}{frame}{off} {} ({seconds} s)", waiting.text);
        let _ = out.flush();
    }
}
