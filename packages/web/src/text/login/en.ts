import type { Messages } from '../define'

/** Where the service asks for a token. */
export const en = {
  title: 'Log in',
  lead: 'This service asks for a token.',
  token: 'Token',
  hint: 'As an administrator gave it to you, or the line of the file that the service was started with: medloom serve --token-file FILE.',
  submit: 'Log in',
} satisfies Messages
