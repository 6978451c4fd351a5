import type { ErrorIssue } from '@medloom/contracts'
import { useMemo } from 'react'
import { useServiceText } from '../../components/service-text'
import { useContractText } from '../../text/contracts'
import { train } from '../../text/train'
import { useText } from '../../text/use-text'

/** Dotted path → error of the service. A missing value is reported at its field only after a start was tried. */
export function useProblems(issues: readonly ErrorIssue[], wasTried: boolean) {
  const contract = useContractText()
  const service = useServiceText()
  const stop = useText(train)('sentence.end')
  return useMemo(() => {
    const shown = issues.filter(({ code }) => wasTried || code !== 'MISSING_FIELD')
    const atFields = new Map(
      shown.map((issue) => {
        const { path, code, hint, hint_phrases } = issue
        const { words, english } = contract.remedy(code, hint, hint_phrases)
        const remedy = [words, english].filter(Boolean).join(' ')
        return [path, `${service(issue.message, issue.message_phrases)}${stop}${remedy}`]
      }),
    )
    return { atFields, listed: shown }
  }, [issues, wasTried, contract, service, stop])
}
