import { type ReactNode, useEffect, useState } from 'react'
import { parts } from '../text/parts'
import { useText } from '../text/use-text'
import { Button } from './button'

const SAID_MILLISECONDS = 2_000

/** Puts a text on the clipboard, and says so. */
export function CopyButton({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  const t = useText(parts)
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), SAID_MILLISECONDS)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  return (
    <>
      <Button icon={copied ? 'good' : 'copy'} onPress={() => void copy()}>
        {copied ? t('copied') : children}
      </Button>
      <span role="status" className="visually-hidden">
        {copied && t('copied')}
      </span>
    </>
  )
}
