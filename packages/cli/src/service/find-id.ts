import { EXIT, UsageError } from '../exit-codes.js'
import { isUuid, matchesId } from './ids.js'

/**
 * Resolves an id, a unique prefix of one, a name, or "latest" to an id.
 * @param noun singular noun: job, study.
 * @param known every item, newest first; read as far as needed. It can also be found by its `name`.
 * @param list the command that lists them.
 */
export async function findId(
  word: string,
  noun: string,
  known: AsyncIterable<{ readonly id: string; readonly name?: string }>,
  list: string,
): Promise<string> {
  if (isUuid(word)) return word.toLowerCase()
  const found: string[] = []
  const named: string[] = []
  for await (const { id, name } of known) {
    if (word === 'latest') return id
    if (matchesId(word, id)) found.push(id)
    if (name === word) named.push(id)
  }
  const [newest] = named
  if (newest !== undefined) return newest
  const [only, ...others] = found
  if (only !== undefined && others.length === 0) return only
  if (only !== undefined)
    throw new UsageError(
      `${found.length} ${noun} ids start with "${word}": ${found.slice(0, 5).join(', ')}${found.length > 5 ? ', …' : ''}.`,
      'Use more characters of the id.',
    )
  throw new UsageError(`There is no ${noun} "${word}".`, `List them with "${list}".`, EXIT.notFound)
}
