import { type ReactNode, useEffect, useState } from 'react'
import { COPIED_MILLISECONDS } from '../durations'
import { parts } from '../text/parts'
import { useText } from '../text/use-text'
import { Button } from './button'
import { Dialog } from './dialog'
import { TextField } from './field'

/** Copies a text to the clipboard and confirms it. */
export function CopyButton({
  text,
  kind = 'plain',
  children,
}: {
  readonly text: string
  readonly kind?: 'plain' | 'quiet'
  readonly children: ReactNode
}) {
  const t = useText(parts)
  const [copied, setCopied] = useState(false)
  const [byHand, setByHand] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), COPIED_MILLISECONDS)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => {
    try {
      // Browsers offer the clipboard only over HTTPS and on the same machine.
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      setByHand(true)
    }
  }
  return (
    <>
      <Button kind={kind} icon={copied ? 'good' : 'copy'} onPress={() => void copy()}>
        {copied ? t('copied') : children}
      </Button>
      <span role="status" className="visually-hidden">
        {copied && t('copied')}
      </span>
      {byHand && (
        <Dialog title={t('copy.byHand')} isOpen onClose={() => setByHand(false)}>
          <TextField
            label={t('copy.text')}
            hint={t('copy.why')}
            lines={12}
            value={text}
            onChange={() => undefined}
            isSelected
          />
        </Dialog>
      )}
    </>
  )
}
