import { render } from 'lit-html';
import { OperatorApi } from '../operator/api.js';
import { Dashboard } from '../operator/dashboard.js';
import { tokenForm } from '../operator/token-form.js';
import { byId, catalog, wordsOf } from '../site.js';

const app = byId('app');
const api = new OperatorApi();

/** Asks for the token until the service accepts it. */
async function open(problem?: unknown): Promise<void> {
  if (api.token && problem === undefined) {
    try {
      await api.get('');
      await catalog.load().catch(() => {});
      new Dashboard(app, api, () => {
        api.forget();
        location.reload();
      });
      return;
    } catch (error) {
      api.forget();
      return open(error);
    }
  }
  render(tokenForm(problem === undefined ? '' : wordsOf(problem), (token) => {
    api.remember(token);
    void open();
  }), app);
}

app.textContent = '';
void open().finally(() => app.removeAttribute('aria-busy'));
