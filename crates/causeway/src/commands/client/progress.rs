use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::task::JoinHandle;

use super::output::one_line;

const FRAMES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const BETWEEN_FRAMES: Duration = Duration::from_millis(120);
const CLEAR_LINE: &str = "\r\x1b[2K";

/// Shows progress on standard error: an animated line on a terminal, plain lines elsewhere.
pub(crate) struct Progress {
    status: Arc<StatusLine>,
    ticker: Option<JoinHandle<()>>,
}

struct StatusLine {
    style: Style,
    waiting: Mutex<Option<Waiting>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
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
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let style = match (quiet, io::stderr().is_terminal() && !dumb) {
            (true, _) => Style::Silent,
            (false, true) => Style::Moving { colour: !is_set("NO_COLOR") },
            (false, false) => Style::Lines,
        };
        let status = Arc::new(StatusLine { style, waiting: Mutex::default() });
        let ticker = matches!(style, Style::Moving { .. }).then(|| {
            let status = Arc::clone(&status);
            tokio::spawn(async move {
                loop {
                    tokio::time::sleep(BETWEEN_FRAMES).await;
                    status.draw();
                }
            })
        });
        Self { status, ticker }
    }

    /// Prints a finished step.
    pub(crate) fn step(&self, title: &str, detail: &str) {
        self.status.step(&one_line(title), &one_line(detail));
    }

    /// Shows what is waited for until the next step.
    pub(crate) fn waiting(&self, text: &str) {
        let next = Waiting { text: one_line(text), since: Instant::now(), frame: 0 };
        *self.status.waiting.lock() = Some(next);
        self.status.draw();
    }

    /// Clears the waiting line.
    pub(crate) fn clear(&self) {
        self.status.clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(ticker) = &self.ticker {
            ticker.abort();
        }
        self.status.clear();
    }
}

impl StatusLine {
    fn step(&self, title: &str, detail: &str) {
        self.clear();
        let line = match self.style {
            Style::Silent => return,
            Style::Lines => format!("{title:<10} {detail}"),
            Style::Moving { colour: true } => format!("\x1b[32m✓\x1b[0m {title:<10} {detail}"),
            Style::Moving { colour: false } => format!("✓ {title:<10} {detail}"),
        };
        let _ = writeln!(io::stderr().lock(), "{}", line.trim_end());
    }

    fn clear(&self) {
        // The lock is held while the line is cleared, so that no frame is drawn after it.
        let mut waiting = self.waiting.lock();
        if waiting.take().is_some() && matches!(self.style, Style::Moving { .. }) {
            let _ = write!(io::stderr().lock(), "{CLEAR_LINE}");
        }
    }

    fn draw(&self) {
        let mut waiting = self.waiting.lock();
        let (Some(waiting), Style::Moving { colour }) = (waiting.as_mut(), self.style) else { return };
        let frame = FRAMES.get(waiting.frame % FRAMES.len()).copied().unwrap_or('·');
        waiting.frame = waiting.frame.wrapping_add(1);
        let (on, off) = if colour { ("\x1b[36m", "\x1b[0m") } else { ("", "") };
        let seconds = waiting.since.elapsed().as_secs();
        let mut out = io::stderr().lock();
        let _ = write!(out, "{CLEAR_LINE}{on}{frame}{off} {} ({seconds} s)", waiting.text);
        let _ = out.flush();
    }
}
