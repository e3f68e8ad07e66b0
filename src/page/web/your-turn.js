// Tells a player who looks elsewhere that it is their turn: in the tab's title, and, for those who chose it, by a short
// sound and on a phone a vibration.

import { el } from './dom.js';
import { say } from './words.js';

const CHOSEN = 'fairshoe.sound';
const NOTES = [[660, 0], [880, 0.14]];

export class YourTurn {
  constructor(title) {
    Object.assign(this, { title, isTurn: false });
    this.element = el('button', {
      type: 'button', class: 'quiet sound', on: { click: () => this.choose() },
    }, el('span', { 'aria-hidden': 'true' }, '♪'), el('span', { class: 'sound-words' }, say('play.sound')));
    this.show();
  }

  get isChosen() {
    return localStorage.getItem(CHOSEN) === 'on';
  }

  show() {
    this.element.setAttribute('aria-pressed', String(this.isChosen));
  }

  choose() {
    localStorage.setItem(CHOSEN, this.isChosen ? 'off' : 'on');
    this.show();
    if (this.isChosen) this.sound();
  }

  /** Sets whether it is the player's turn now. */
  tell(isTurn, isNew) {
    if (isTurn !== this.isTurn) this.title(isTurn);
    this.isTurn = isTurn;
    if (!isNew || !this.isChosen) return;
    this.sound();
    navigator.vibrate?.(200);
  }

  sound() {
    this.audio ??= new AudioContext();
    const { audio } = this;
    // The browser keeps the page silent until the person touches it.
    audio.resume().catch(() => {});
    for (const [frequency, after] of NOTES) {
      const [tone, volume] = [audio.createOscillator(), audio.createGain()],
        at = audio.currentTime + after;
      tone.frequency.value = frequency;
      volume.gain.setValueAtTime(0.12, at);
      volume.gain.exponentialRampToValueAtTime(0.001, at + 0.2);
      tone.connect(volume).connect(audio.destination);
      tone.start(at);
      tone.stop(at + 0.2);
    }
  }

  close() {
    this.audio?.close().catch(() => {});
  }
}
