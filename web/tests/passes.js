// @ts-check

const PATIENCE_MS = 60_000;

/**
 * Runs a check until it passes, for as long as a page may need to show what an action brought about. What it throws last is
 * thrown.
 *
 * @param {() => Promise<unknown>} check
 */
export async function passes(check) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
