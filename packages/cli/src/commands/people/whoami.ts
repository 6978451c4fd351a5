import type { Session } from '@medloom/contracts'
import type { MedloomCommand } from '../../command.js'
import { connect } from '../../service/connection.js'
import { print } from '../../terminal/print.js'

export function addWhoami(program: MedloomCommand): MedloomCommand {
  return program
    .command('whoami')
    .description('say who the service takes you for, and what you may do')
    .example('medloom whoami')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      print(options, await connect(options).getSession(), inWords)
    }) as MedloomCommand
}

function inWords({ token_required, user, role }: Session): string {
  if (user === null)
    return 'nobody: the service asks for a token, and this one is not good. Give one by MEDLOOM_TOKEN or --token-file.'
  return `${user}, ${role}${token_required ? '' : '; the service asks for no token'}`
}
