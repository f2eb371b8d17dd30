import { html, nothing, type TemplateResult } from 'lit-html';
import * as icons from '../../../design/icons.js';

/** Asks for the operator's token, which stays in this tab. */
export function tokenForm(problem: string, take: (token: string) => void): TemplateResult {
  const submit = (event: Event) => {
    event.preventDefault();
    const token = new FormData(event.target as HTMLFormElement).get('token');
    if (typeof token === 'string' && token.trim()) take(token.trim());
  };
  return html`<form class="card token-form" @submit=${submit}>
    ${problem ? html`<div class="notice bad" role="alert">${icons.warn()}<div>${problem}</div></div>` : nothing}
    <div class="field"><label for="token">Operator token</label><input id="token" name="token" type="password" autocomplete="off" required /></div>
    <p class="small muted">It is set by <code>server.operator_token</code> or <code>CAUSEWAY_OPERATOR_TOKEN</code>; otherwise it is in the file <code>operator-token</code> of the data folder. It is kept in this tab only.</p>
    <button class="button primary">Open</button></form>`;
}
