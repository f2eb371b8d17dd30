import type { Locale } from '../i18n.js';

/** What is said of swaps that a liquidity provider settles; `{name}` is where a value goes. Only pages that trust providers load it. */
export type ProviderWords = Readonly<Record<'settledBy' | 'notByEscrow' | 'heldBy' | 'refundBy' | 'providerLate', string>>;

export const PROVIDER_WORDS: Readonly<Record<Locale, ProviderWords>> = {
  'en': {
    settledBy: 'Settled by {provider}',
    notByEscrow: '{provider} settles this swap itself. The escrow does not hold your money and cannot refund it.',
    heldBy: 'Held meanwhile by', refundBy: 'Refund',
    providerLate: 'The time is over. Send nothing any more: what arrives now may be lost.',
  },
  'de': {
    settledBy: 'Abgewickelt von {provider}',
    notByEscrow: '{provider} wickelt diesen Tausch selbst ab. Das Treuhandkonto hält dein Geld nicht und kann es nicht zurückzahlen.',
    heldBy: 'Bis dahin verwahrt von', refundBy: 'Rückzahlung',
    providerLate: 'Die Zeit ist abgelaufen. Sende nichts mehr: Was jetzt ankommt, kann verloren sein.',
  },
  'es': {
    settledBy: 'Liquidado por {provider}',
    notByEscrow: '{provider} liquida este intercambio por su cuenta. El depósito en garantía no guarda tu dinero ni puede reembolsarlo.',
    heldBy: 'Mientras tanto lo guarda', refundBy: 'Reembolso',
    providerLate: 'Se acabó el tiempo. No envíes nada más: lo que llegue ahora puede perderse.',
  },
  'fr': {
    settledBy: 'Réglé par {provider}',
    notByEscrow: '{provider} règle cet échange lui-même. Le séquestre ne détient pas votre argent et ne peut pas le rembourser.',
    heldBy: 'Détenu entre-temps par', refundBy: 'Remboursement',
    providerLate: 'Le délai est écoulé. N’envoyez plus rien : ce qui arrive maintenant peut être perdu.',
  },
  'pt': {
    settledBy: 'Liquidado por {provider}',
    notByEscrow: '{provider} liquida esta troca por conta própria. O depósito em garantia não guarda seu dinheiro e não pode reembolsá-lo.',
    heldBy: 'Guardado até lá por', refundBy: 'Reembolso',
    providerLate: 'O tempo acabou. Não envie mais nada: o que chegar agora pode se perder.',
  },
  'ar': {
    settledBy: 'التسوية عبر {provider}',
    notByEscrow: 'يسوّي {provider} هذه المبادلة بنفسه. حساب الضمان لا يحتفظ بأموالك ولا يستطيع ردّها.',
    heldBy: 'الحائز في هذه الأثناء', refundBy: 'الاسترداد',
    providerLate: 'انتهى الوقت. لا ترسل شيئًا بعد الآن: قد يضيع ما يصل الآن.',
  },
  'ja': {
    settledBy: '{provider} が決済',
    notByEscrow: 'このスワップは {provider} が自ら決済します。エスクローは資金を保管せず、返金もできません。',
    heldBy: 'それまでの保管者', refundBy: '返金',
    providerLate: '時間が過ぎました。これ以上送らないでください。今届く資金は失われることがあります。',
  },
  'ko': {
    settledBy: '{provider} 정산',
    notByEscrow: '이 스왑은 {provider}에서 직접 정산합니다. 에스크로는 자금을 보관하지 않으며 환불할 수 없습니다.',
    heldBy: '그동안의 보관자', refundBy: '환불',
    providerLate: '시간이 지났습니다. 더 이상 보내지 마세요. 지금 도착하는 자금은 잃을 수 있습니다.',
  },
  'zh-CN': {
    settledBy: '由 {provider} 结算',
    notByEscrow: '此兑换由 {provider} 自行结算。托管合约不保管您的资金，也无法退款。',
    heldBy: '期间的保管方', refundBy: '退款',
    providerLate: '时间已过。请勿再转账：现在到账的资金可能会丢失。',
  },
  'zh-TW': {
    settledBy: '由 {provider} 結算',
    notByEscrow: '此兌換由 {provider} 自行結算。託管合約不保管您的資金，也無法退款。',
    heldBy: '期間的保管方', refundBy: '退款',
    providerLate: '時間已過。請勿再轉帳：現在到帳的資金可能會遺失。',
  },
};
