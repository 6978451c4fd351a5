import { writeFileSync } from 'node:fs'
import { type CreatedToken, ROLES, type Token } from '@medloom/contracts'
import { Option } from 'commander'
import { addGroup, type MedloomCommand, wholeNumber } from '../../command.js'
import { UsageError } from '../../exit-codes.js'
import { connect } from '../../service/connection.js'
import { listUpTo } from '../../service/pages.js'
import { age, UNKNOWN } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'
import { fromCurrentFolder } from '../../terminal/terminal.js'

export function addTokens(program: MedloomCommand): void {
  const tokens = addGroup(program, 'tokens', 'create, list and revoke tokens of users', 'ls')
  addCreate(tokens)
  addList(tokens)
  addRevoke(tokens)
}

function addCreate(tokens: MedloomCommand): void {
  tokens
    .add('create')
    .description('create a token for a user; it is shown only once')
    .argument('<user>', 'user name: a-z, 0-9, ".", "_" and "-"')
    .addOption(
      new Option('--role <role>', 'read: view everything; run: also train; admin: everything')
        .choices(ROLES)
        .default('run'),
    )
    .option('--name <name>', 'purpose, for example the name of a machine', 'token')
    .option('--days <n>', 'days until the token expires (default: it does not expire)', wholeNumber)
    .option('--identifiers', 'allow values that identify patients (default: for the roles run and admin)')
    .option('--no-identifiers', 'do not allow values that identify patients')
    .option('-o, --out <file>', 'write the token to a new file that only you can read, instead of showing it')
    .example(
      'medloom tokens create ann --role admin',
      'medloom tokens create bob --name workstation --days 90 --out bob.token',
      'medloom tokens create guest --role read',
    )
    .action(async (user: string, _, command) => {
      const options = command.optsWithGlobals()
      const { role, name, days, identifiers, out } = options
      const file = out === undefined ? undefined : fromCurrentFolder(out)
      const body = {
        ...{ user, role, name },
        ...(identifiers === undefined ? {} : { identifiers }),
        ...(days === undefined ? {} : { expires_in_days: days }),
      }
      if (file !== undefined) makeFile(file)
      const created = await connect(options).createToken(body)
      if (file === undefined) return print(options, created, createdInWords)
      const { secret, ...token } = created
      writeFileSync(file, `${secret}\n`)
      print(options, token, () => `The token ${token.token_id} of ${user} is in ${out}.`)
    })
}

/** Created before the token, which would be lost if it could not be written. @throws UsageError */
function makeFile(file: string): void {
  try {
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw new UsageError(
      `The token cannot be written: ${(error as Error).message}`,
      'Use the path of a new file in a folder with write permission.',
    )
  }
}

function createdInWords({ secret, user, role, token_id }: CreatedToken): string {
  return [
    secret,
    '',
    `This is a token of ${user} with the role ${role} (${token_id}). It is not shown again.`,
    'Use it in MEDLOOM_TOKEN, in a file for --token-file, or to log in to the page.',
  ].join('\n')
}

function addList(tokens: MedloomCommand): void {
  tokens
    .add('ls')
    .description('list the tokens, newest first')
    .option('--limit <n>', 'list at most this many', wholeNumber, 50)
    .example('medloom tokens ls')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const page = await listUpTo(options.limit, 'tokens', (query) => client.listTokens(query))
      print(options, page, ({ tokens }) => (tokens.length === 0 ? 'There are no tokens.' : table(tokens)))
    })
}

function table(tokens: readonly Token[]): string {
  const rows = tokens.map((token) => [
    token.token_id,
    token.user,
    token.role,
    token.identifiers ? 'yes' : 'no',
    token.name,
    standing(token),
    token.last_used_at === null ? 'never' : age(token.last_used_at),
  ])
  return formatTable(['token', 'user', 'role', 'identifiers', 'name', 'expires', 'last used'], rows)
}

function standing({ expires_at, revoked_at }: Token): string {
  if (revoked_at !== null) return 'revoked'
  if (expires_at === null) return UNKNOWN
  return Date.parse(expires_at) < Date.now() ? 'expired' : expires_at.slice(0, 10)
}

function addRevoke(tokens: MedloomCommand): void {
  tokens
    .add('revoke')
    .description('revoke a token; its sessions end and its connections are closed immediately')
    .argument('<token>', 'token id, as listed by "tokens ls"')
    .example('medloom tokens revoke 2f9b3a4c-5d6e-4f70-8192-a3b4c5d6e7f8')
    .action(async (tokenId: string, _, command) => {
      const options = command.optsWithGlobals()
      const token = await connect(options).revokeToken({ token_id: tokenId })
      print(options, token, ({ user, name }) => `The token "${name}" of ${user} was revoked.`)
    })
}
