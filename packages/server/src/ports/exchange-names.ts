/** Ways in which a service and its trainers exchange files; http/create-exchange.ts creates them. */
export const EXCHANGE_NAMES = ['folder', 'http'] as const
export type ExchangeName = (typeof EXCHANGE_NAMES)[number]
