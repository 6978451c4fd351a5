import type { Session } from '@medloom/contracts'
import type { MedloomCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { print } from '../../terminal/print.js'

export function addWhoami(program: MedloomCommand): MedloomCommand {
  return program
    .command('whoami')
    .description('show your user name and role')
    .example('medloom whoami')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      print(options, await connect(options).getSession(), inWords)
    }) as MedloomCommand
}

function inWords({ token_required, user, role }: Session): string {
  if (user === null)
    return 'Not authenticated: the service requires a valid token. Set MEDLOOM_TOKEN or --token-file.'
  return `${user}, ${role}${token_required ? '' : '; the service requires no token'}`
}
