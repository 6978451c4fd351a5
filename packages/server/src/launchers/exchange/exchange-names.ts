/** How a service and its trainers can exchange files; http/create-exchange.ts makes each. */
export const EXCHANGE_NAMES = ['folder', 'http'] as const
export type ExchangeName = (typeof EXCHANGE_NAMES)[number]
