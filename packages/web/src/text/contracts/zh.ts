import { CLIENT_ERRORS, ERRORS } from '@medloom/contracts/plain'
import type { ContractWords, GeneralWords } from './keys'
import { help } from './zh-help'
import { meanings } from './zh-meanings'
import { phrases } from './zh-phrases'
import { remedies } from './zh-remedies'
import { study } from './zh-study'
import { titles } from './zh-titles'
import { warnings } from './zh-warnings'
import { workflows } from './zh-workflows'

const GENERAL: Readonly<Record<string, GeneralWords | undefined>> = {
  ...ERRORS,
  ...CLIENT_ERRORS,
}

export const zh: ContractWords = {
  titles,
  help,
  study,
  remedies,
  warnings,
  meanings,
  general: (code) => GENERAL[code],
  phrases,
  workflows,
}
