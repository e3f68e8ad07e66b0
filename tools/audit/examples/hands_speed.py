"""Plays the hands of .phhs files by PokerKit; prints hands, and processor seconds for reading and for playing.

python3 hands_speed.py MOST FILE...: at most MOST hands of all files together.
"""

import json
import sys
import time

from pokerkit import HandHistory


def play(history):
    """The stacks at the end of a hand."""
    for state, _ in history.state_actions:
        pass
    return state.stacks


def main():
    most = int(sys.argv[1])
    started = time.process_time()
    hands = []
    for path in sys.argv[2:]:
        with open(path, "rb") as file:
            hands.extend(HandHistory.load_all(file))
        if len(hands) >= most:
            break
    hands = hands[:most]
    read = time.process_time() - started
    started = time.process_time()
    played = different = refused = 0
    for history in hands:
        try:
            stacks = play(history)
        except (ValueError, UserWarning):
            refused += 1
            continue
        played += 1
        recorded = history.finishing_stacks
        different += recorded is not None and list(stacks) != list(recorded)
    print(
        json.dumps(
            {
                "hands": len(hands),
                "played": played,
                "different": different,
                "refused": refused,
                "read_seconds": read,
                "play_seconds": time.process_time() - started,
            }
        )
    )


main()
