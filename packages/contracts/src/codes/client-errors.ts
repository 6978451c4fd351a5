import type { CodeDeclaration } from './warnings.js'

/** Codes that the client itself sets because no response of the service arrived. */
export const CLIENT_ERRORS = {
  UNREACHABLE: {
    meaning: 'No service responds at the address.',
    remedy: 'Start it with "medloom serve", or use another address.',
  },
  TIMEOUT: {
    meaning: 'The service did not respond in time.',
    remedy: 'Try again, or increase the time limit. The service may be busy.',
  },
  ABORTED: {
    meaning: 'The caller aborted the call.',
    remedy: 'Read the state before you repeat the call. The service may have carried it out.',
  },
  INVALID_RESPONSE: {
    meaning: 'The response does not come from a Medloom service.',
    remedy: 'Check the address. A proxy between client and service may have sent the response.',
  },
  FILE_UNREADABLE: {
    meaning: 'A file to upload can no longer be read.',
    remedy: 'Choose the file again. It was changed, moved or removed since you chose it.',
  },
} as const satisfies Record<string, CodeDeclaration>

export type ClientErrorCode = keyof typeof CLIENT_ERRORS
