/** Maximum number of items in a page of the service. */
const MAX_PAGE_SIZE = 1000

interface PageQuery {
  readonly page_size: number
  readonly page_token?: string
}

type Page<Key extends string> = Readonly<Record<Key, readonly unknown[]>> & {
  readonly next_page_token: string | null
}

/** The pages of a list, first to last. The last page is shortened so that at most `limit` items are requested. */
export async function* pages<Key extends string, P extends Page<Key>>(
  limit: number,
  key: Key,
  fetch: (query: PageQuery) => Promise<P>,
): AsyncGenerator<P> {
  let remaining = limit
  let token: string | null = null
  do {
    const size = Math.min(Math.max(remaining, 1), MAX_PAGE_SIZE)
    const page: P = await fetch({ page_size: size, ...(token === null ? {} : { page_token: token }) })
    yield page
    remaining -= page[key].length
    token = page.next_page_token
  } while (token !== null && remaining > 0)
}

/** A list as one page of at most `limit` items, however many pages the service returns. */
export async function listUpTo<Key extends string, P extends Page<Key>>(
  limit: number,
  key: Key,
  fetch: (query: PageQuery) => Promise<P>,
): Promise<P> {
  const found: P[] = []
  for await (const page of pages(limit, key, fetch)) found.push(page)
  return { ...(found.at(-1) as P), [key]: found.flatMap((page) => page[key]).slice(0, limit) }
}
