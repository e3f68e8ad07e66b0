"""Plays the hands of a .phhs file by PokerKit; prints the stacks at the end of each, or why it refuses the hand."""

import json
import sys

from pokerkit import HandHistory


def play(history):
    for state, _ in history.state_actions:
        pass
    return [int(stack) for stack in state.stacks]


with open(sys.argv[1], "rb") as file:
    hands = list(HandHistory.load_all(file))
said = []
for history in hands:
    try:
        said.append(play(history))
    except (KeyError, ValueError, UserWarning) as why:
        said.append(f"{type(why).__name__}: {why}")
print(json.dumps(said))
