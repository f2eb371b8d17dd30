import { html, type TemplateResult } from 'lit-html';
import { showPercent } from '../amounts.js';
import type { App } from '../app.js';
import { addressField } from './form.js';
import { screen } from './parts.js';

const STEPS = [undefined, 0.001, 0.005, 0.01] as const;

export function settingsView(app: App): TemplateResult {
  const percent = (fraction: number) => showPercent(fraction, app.locale);
  const choose = (fraction: number | undefined) => () => {
    app.slippage = fraction;
    app.update();
  };
  const typed = (event: Event) => {
    const number = Number((event.target as HTMLInputElement).value.replace(',', '.'));
    choose(number > 0 && number <= 50 ? number / 100 : undefined)();
  };
  const back = () => {
    app.view = 'form';
    app.update();
  };
  const isOwn = app.slippage !== undefined && !(STEPS as readonly unknown[]).includes(app.slippage);
  return screen(app, app.say('settings'), html`<div class="fields">
    <fieldset class="field"><legend>${app.say('slippage')}</legend>
      <div class="steps-row">${STEPS.map((step) => html`<button class="tab" aria-pressed=${app.slippage === step} @click=${choose(step)}>${step === undefined ? app.say('auto') : percent(step)}</button>`)}
        <input class="text" inputmode="decimal" aria-label="${app.say('slippage')} %" placeholder="%" .value=${isOwn ? String(Number((app.slippage! * 100).toFixed(4))) : ''} @change=${typed} /></div>
      <p class="small muted">${app.say('slippageHint')}</p></fieldset>
    <div class="field check"><input id="gasless" type="checkbox" .checked=${app.isGasless} @change=${(event: Event) => { app.isGasless = (event.target as HTMLInputElement).checked; app.changed(); }} />
      <div><label for="gasless">${app.say('gasless')}</label><p class="small muted">${app.say('gaslessHint')}</p></div></div>
    ${addressField(app, 'recipient', 'set-recipient')}${addressField(app, 'refundTo', 'set-refund')}
  </div>`, back);
}
