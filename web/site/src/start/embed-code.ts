/** What the playground's form says. */
export interface Look {
  accent: string;
  radius: number;
  theme: string;
  locale: string;
  title: string;
  methods: string;
  /** `<chain id>:<address>`, or empty. */
  from: string;
  to: string;
  amount: string;
}

const escape = (text: string): string => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');

/** The HTML that shows a widget with this look; what is as usual is left out. */
export function embedCode(origin: string, look: Look): string {
  const token = (text: string) => (text ? JSON.stringify({ chainId: Number(text.split(':')[0]), address: text.split(':')[1] }) : '');
  const attributes = Object.entries({
    theme: look.theme === 'auto' ? '' : look.theme, locale: look.locale, methods: look.methods, 'from-token': token(look.from), 'to-token': token(look.to), amount: look.amount,
  }).filter(([, text]) => text !== '');
  const colours = look.accent === '#0a6b70' ? [] : [`--causeway-accent: ${look.accent};`, `--causeway-accent-hover: ${look.accent};`];
  const properties = [...colours, ...(look.radius === 24 ? [] : [`--causeway-radius: ${look.radius}px;`])];
  const style = properties.length ? `<style>\n  causeway-widget {\n${properties.map((line) => `    ${line}\n`).join('')}  }\n</style>\n` : '';
  const title = look.title ? `\n<script>\n  document.querySelector("causeway-widget").texts = ${JSON.stringify({ titleSwap: look.title }).replace(/</g, '\\u003c')};\n</script>` : '';
  const gap = attributes.length > 1 ? '\n  ' : ' ';
  const words = attributes.map(([name, text]) => `${gap}${name}="${escape(text)}"`).join('');
  return `${style}<script src="${origin}/widget.js" defer></script>\n<causeway-widget${words}></causeway-widget>${title}`;
}
