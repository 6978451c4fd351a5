import type { Messages } from '../define'

/** The login page. */
export const en = {
  title: 'Log in',
  lead: 'This service requires a token.',
  token: 'Token',
  hint: 'Enter the token that an administrator gave you, or the token in the file with which the service was started: medloom serve --token-file FILE.',
  submit: 'Log in',
} satisfies Messages
