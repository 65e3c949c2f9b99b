#!/bin/sh
make release
