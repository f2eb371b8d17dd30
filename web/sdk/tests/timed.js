import { mock } from 'node:test';

/** Runs `work` with mocked timers, one second at a time; returns the result and the elapsed seconds. */
export async function timed(work, maxSeconds = 1_000) {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  try {
    let result;
    work().then((value) => { result = { value }; }, (error) => { result = { error }; });
    let seconds = 0;
    for (; !result && seconds < maxSeconds; seconds += 1) {
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      if (!result) mock.timers.tick(1_000);
    }
    return { ...result, seconds };
  } finally {
    mock.timers.reset();
  }
}
