import type { Messages } from '../define'

/** Where the service asks for its token. */
export const en = {
  title: 'Log in',
  lead: 'This service asks for its token.',
  token: 'Token',
  hint: 'The line of the file that the service was started with: medloom serve --token-file FILE.',
  submit: 'Log in',
} satisfies Messages
