import { StartError } from '../../errors.js'

const EXAMPLE = 'postgres://medloom@db.example.org:5432/medloom'

/**
 * Check the address of a database server; no message contains its password.
 * @throws StartError
 */
export function checkServerUrl(url: string): void {
  const remedy = `Write it as ${EXAMPLE}, with special characters of the password percent-encoded.`
  if (!/^postgres(ql)?:\/\//.test(url))
    throw new StartError('--database-url does not start with postgres:// or postgresql://', remedy)
  const parsed = URL.parse(url)
  if (!parsed) throw new StartError('--database-url is not a valid address', remedy)
  if (parsed.pathname.length < 2)
    throw new StartError('--database-url does not contain the name of a database', remedy)
}

/** Location of the server for messages: without the password, and without settings, which may contain one. */
export function serverName(url: string): string {
  const parsed = URL.parse(url)
  if (!parsed) return 'the database server'
  const { username, host, pathname } = parsed
  return `postgres://${username ? `${username}@` : ''}${host}${pathname}`
}
