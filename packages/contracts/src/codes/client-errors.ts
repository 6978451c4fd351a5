import type { CodeDeclaration } from './warnings.js'

/** Codes that the client itself sets because no response of the service arrived. */
export const CLIENT_ERRORS = {
  UNREACHABLE: {
    meaning: 'No service responds at the address.',
    remedy: 'Start it with "medloom serve", or use another address.',
  },
  TIMEOUT: {
    meaning: 'The service did not respond in time.',
    remedy: 'Try again, or allow more time; the service may be busy.',
  },
  ABORTED: {
    meaning: 'The caller aborted the call.',
    remedy: 'Check the state before repeating the call; the service may have carried it out.',
  },
  INVALID_RESPONSE: {
    meaning: 'The response is not one of Medloom.',
    remedy: 'Check the address; a proxy may be in between.',
  },
  FILE_UNREADABLE: {
    meaning: 'A file to upload cannot be read any more.',
    remedy: 'Choose it again; it was changed, moved or removed meanwhile.',
  },
} as const satisfies Record<string, CodeDeclaration>

export type ClientErrorCode = keyof typeof CLIENT_ERRORS
