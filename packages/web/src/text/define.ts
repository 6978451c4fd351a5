/** The languages of the page, each by its own name. */
export const LANGUAGES = { en: 'English', zh: '中文' } as const
export type Language = keyof typeof LANGUAGES

/** Numbers, plurals and choices inside a message. */
export interface Format {
  plural(count: number, options: { readonly one?: string; readonly other: string }): string
  number(value: number): string
  select(options: Readonly<Record<string, string>>, value: string): string
}
// biome-ignore lint/suspicious/noExplicitAny: the arguments of each message are typed where it is written
export type Message = string | ((values: any, format: Format) => string)
export type Messages = Readonly<Record<string, Message>>

/** The same messages in another language. A missing key or different values are type errors. */
export type Translation<M extends Messages> = {
  readonly [K in keyof M]: M[K] extends (values: infer V, format: Format) => string
    ? string | ((values: V, format: Format) => string)
    : string
}

/** Messages of one part of the page. English is bundled; other languages are loaded when the reader chooses them. */
export interface Text<M extends Messages> {
  readonly en: M
  readonly load: Readonly<Record<Exclude<Language, 'en'>, () => Promise<Translation<M>>>>
}

/** Parts loaded so far; the messages of a part arrive with its code. */
export const parts = new Set<Text<Messages>>()

export function defineText<const M extends Messages>(en: M, load: Text<M>['load']): Text<M> {
  const text = { en, load }
  parts.add(text as Text<never>)
  return text
}
